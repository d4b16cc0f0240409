/** What the bundler makes of an import of the module: its address, its bytes, or a `WebAssembly.Module`. All are for `init`. */
declare const module: any;
export default module;
