export { init } from "./node.js";
export * from "./robots-parser.js";
export { default } from "./robots-parser.js";
// What `require` returns, as it does for robots-parser.
export { default as "module.exports" } from "./robots-parser.js";
