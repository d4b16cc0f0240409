/** Places in the project's repository. */

/** Its address, from package.json: see `build.mjs`. */
declare const REPOSITORY: string;

/** The page about a kind of finding, by its name. */
export function lintPage(name: string): string {
  return `${REPOSITORY}/blob/main/docs/lint/${name}.md`;
}
