// The examples of README.md do what their comments say.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

test("README.md has examples", () => assert.ok(examples.length >= 6));

examples.forEach((code, number) => {
  test(`example ${number + 1} of README.md`, async () => {
    let checks = 0;
    // A line with a comment is compared with the value that the comment begins with.
    const checked = code.replace(/^( *)(?!const|import)(\S.*?); \/\/ (.*)$/gm, (_, indent, expression, comment) => {
      checks += 1;
      const isBytes = comment.startsWith("Uint8Array ");
      const wanted = isBytes ? /\[.*?\]/.exec(comment)[0] : comment;
      const value = isBytes ? `[...${expression}]` : expression;
      return `${indent}assert.deepEqual(${value}, ${wanted});`;
    });
    const file = new URL(`./example-${process.pid}-${number}.mjs`, import.meta.url);
    writeFileSync(file, `import assert from "node:assert/strict";\n${checked}`);
    try {
      await import(file);
    } finally {
      rmSync(file);
    }
    assert.ok(checks > 0);
  });
});
