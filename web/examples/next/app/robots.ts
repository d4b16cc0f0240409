import type { MetadataRoute } from "next";
import { nextRobots } from "robotsieve-write";

export default (): MetadataRoute.Robots => nextRobots(
  {
    rules: [{ userAgent: "@ai-training", disallow: "/" }, { userAgent: "*", disallow: ["/cart", "/a b"] }],
    sitemap: "https://shop.example/sitemap.xml",
  },
  { expect: ["allow Googlebot /", "disallow GPTBot /"] },
);
