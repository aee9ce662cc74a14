// Runs the tests of the pure parts: each tests/*.test.ts is bundled, then Node's own runner takes it.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "tests");
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const out = mkdtempSync(join(here, "node_modules", ".tests-"));
try {
  await build({
    entryPoints: files.map((name) => join(folder, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const built = readdirSync(out).map((name) => join(out, name));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...built], {
    stdio: "inherit",
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
