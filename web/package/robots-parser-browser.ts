export { init } from "./browser.js";
export * from "./robots-parser.js";
export { default } from "./robots-parser.js";
