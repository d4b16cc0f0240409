/** The parts of a line, for colours. What a line means is for the engine to say, and differs by profile. */

export interface Token {
  kind: "agent" | "allow" | "disallow" | "other" | "value" | "wildcard" | "comment";
  from: number;
  to: number;
}

/** The tokens of a line, in order, without overlap. */
export function tokens(line: string): Token[] {
  const hash = line.indexOf("#");
  const end = hash < 0 ? line.length : hash;
  const tokens: Token[] = [];
  const colon = line.indexOf(":");
  if (colon >= 0 && colon < end) {
    const name = line.slice(0, colon);
    const from = name.length - name.trimStart().length;
    const field = name.trim().toLowerCase();
    const kind =
      field === "user-agent" ? "agent" : field === "allow" ? "allow" : field === "disallow" ? "disallow" : "other";
    tokens.push({ kind, from, to: from + field.length });
    const isRule = kind === "allow" || kind === "disallow";
    const value = line.slice(colon + 1, end);
    const start = colon + 1 + value.length - value.trimStart().length;
    const stop = colon + 1 + value.trimEnd().length;
    let at = start;
    for (let index = start; isRule && index < stop; index++) {
      const isWildcard = line[index] === "*" || (line[index] === "$" && index === stop - 1);
      if (!isWildcard) continue;
      if (at < index) tokens.push({ kind: "value", from: at, to: index });
      tokens.push({ kind: "wildcard", from: index, to: index + 1 });
      at = index + 1;
    }
    if (at < stop) tokens.push({ kind: "value", from: at, to: stop });
  }
  if (hash >= 0) tokens.push({ kind: "comment", from: hash, to: line.length });
  return tokens;
}
