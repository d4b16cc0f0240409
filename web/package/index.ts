export * from "./full.js";
