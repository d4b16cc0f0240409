/** Gives an object to a function and frees its memory afterwards. (`using` would need `Symbol.dispose` in every browser.) */
export function freed<T extends { free(): void }, R>(object: T, use: (object: T) => R): R {
  try {
    return use(object);
  } finally {
    object.free();
  }
}
