// Makes one bundle: `node bundle.mjs HOW APP OUTPUT_FOLDER`, in a folder that has the packages. The options are those that
// web/README.md names.

import { nodeResolve } from "@rollup/plugin-node-resolve";
import { importMetaAssets } from "@web/rollup-plugin-import-meta-assets";
import * as esbuild from "esbuild";
import { resolve } from "node:path";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";

const [how, app, folder] = process.argv.slice(2);
const input = resolve(app);
const out = resolve(folder);
const [bundler, ...options] = how.split(" ");

const bundlers = {
  esbuild: () => esbuild.build({
    entryPoints: [input],
    outfile: `${out}/app.${options.includes("cjs") ? "cjs" : "js"}`,
    bundle: true,
    minify: true,
    format: options.includes("cjs") ? "cjs" : "esm",
    platform: options.includes("node") ? "node" : "browser",
    packages: options.includes("external") ? "external" : "bundle",
    loader: options.includes("file") ? { ".wasm": "file" } : options.includes("binary") ? { ".wasm": "binary" } : {},
    logLevel: "warning",
  }),
  vite: () => vite.build({
    logLevel: "warn",
    ssr: { noExternal: true },
    build: {
      outDir: out,
      ssr: options.includes("node"),
      rollupOptions: { input, output: { entryFileNames: "app.js" } },
      chunkSizeWarningLimit: 1000,
    },
  }),
  webpack: () => new Promise((done, failed) => webpack({
    mode: "production",
    target: options.includes("node") ? "node20" : "web",
    entry: input,
    output: { path: out, filename: "app.js", ...(options.includes("node") && { module: true }) },
    ...(options.includes("node") && { experiments: { outputModule: true } }),
    performance: false,
  }, (error, stats) => (error || stats.hasErrors() ? failed(error ?? new Error(stats.toString())) : done()))),
  rollup: async () => {
    const plugins = [nodeResolve({ browser: !options.includes("node"), exportConditions: options.includes("node") ? ["node"] : [] })];
    if (options.includes("assets")) plugins.push(importMetaAssets());
    const bundle = await rollup({ input, plugins, external: /^node:/ });
    await bundle.write({ file: `${out}/app.js`, format: "es" });
  },
};
await bundlers[bundler]();
