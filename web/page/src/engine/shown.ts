// Control characters, spaces other than the usual one, and what reorders or hides text, as `harmless` in crates/shown has them:
// a file must not be able to make the page lie.
const HIDDEN = /[\u0000-\u001F\u007F-\u00A0\u00AD\u061C\u1680\u180E\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\uFEFF]/g;

/** Text from a file or a URL for people to read: what could not be seen is written as an escape. */
export function shown(text: string): string {
  return text.replace(HIDDEN, (hidden) => {
    const code = hidden.charCodeAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** The same, cut after so many characters. */
export function shortened(text: string, chars: number): string {
  const characters = [...shown(text.slice(0, 2 * chars + 2))];
  return characters.length > chars ? `${characters.slice(0, chars).join("")}…` : characters.join("");
}

/** The same, and of what is very long the beginning and the end. */
export function folded(text: string, chars = 1_000): string {
  if (text.length <= chars) return shown(text);
  const end = Math.floor(chars / 5);
  const cut = (text.length - chars).toLocaleString("en");
  return `${shown(text.slice(0, chars - end))} … ${cut} characters … ${shown(text.slice(-end))}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** A sentence of a report with a capital letter, unless a name begins it such as `rfc9309`, and a full stop. */
export function sentence(text: string): string {
  const isWord = /^[a-z]+[ ,:;]/.test(text);
  const said = `${isWord ? text.charAt(0).toUpperCase() : text.charAt(0)}${shown(text.slice(1))}`;
  return said.endsWith("?") ? said : `${said}.`;
}
