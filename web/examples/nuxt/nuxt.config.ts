import { nuxtRobots } from "robotsieve-write";

export default defineNuxtConfig({
  modules: ["@nuxtjs/robots"],
  site: { url: "https://shop.example" },
  robots: nuxtRobots(
    {
      disallow: ["/cart", "/a b"],
      groups: [{ userAgent: "@ai-training", disallow: "/" }],
      sitemap: "https://shop.example/sitemap.xml",
      credits: false,
    },
    { expect: ["allow Googlebot /", "disallow GPTBot /"] },
  ),
  nitro: { prerender: { routes: ["/robots.txt"] } },
  telemetry: false,
});
