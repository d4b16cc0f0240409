// The example apps and bundles: their packages come from the npm registry, into a temporary folder, and robotsieve as it was
// built.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Runs a program in a folder. */
export function run(folder, program, ...args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1", CI: "1" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", maxBuffer: 64 << 20 });
  return { status, said: stdout + stderr };
}

/** Calls `use` with a copy of an example that has its packages. */
export async function installed(name, use) {
  const app = mkdtempSync(join(tmpdir(), `robotsieve-${name}-`));
  try {
    cpSync(join(here, name), app, { recursive: true });
    const { status, said } = run(app, "npm", "install", "--no-audit", "--no-fund", "--silent");
    assert.equal(status, 0, said);
    for (const part of ["core", "inline", "full", "write"]) {
      const folder = join(here, "../dist", part);
      const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      cpSync(folder, join(app, "node_modules", name), { recursive: true });
    }
    await use(app);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}
