export { init } from "./inline.js";
export * from "./robots-parser.js";
export { default } from "./robots-parser.js";
