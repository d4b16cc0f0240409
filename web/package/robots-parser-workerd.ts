export { init } from "./workerd.js";
export * from "./robots-parser.js";
export { default } from "./robots-parser.js";
