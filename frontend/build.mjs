// Builds the front end into flowadmin/static/flowadmin/dist: scripts, styles, one icon sprite.
// The same inputs give the same bytes; a file over its budget fails the build.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "flowadmin", "static", "flowadmin", "dist");

// Limits in bytes after gzip -9.
const budgets = {
  "app.js": 45 * 1024,
  "designer.js": 80 * 1024,
  "theme.js": 1024,
  "app.css": 90 * 1024,
  "admin.css": 4 * 1024,
  "designer.css": 8 * 1024,
  "icons.svg": 12 * 1024,
};

// What the bundles contain; their licences ask that the notice goes along.
const bundled = ["htmx.org", "@tabler/core", "@tabler/icons", "preact", "@preact/signals"];

function sprite() {
  const names = readFileSync(join(here, "icons.txt"), "utf8").split("\n").filter(Boolean);
  const symbols = names.map((name) => {
    const file = join(here, "node_modules/@tabler/icons/icons/outline", `${name}.svg`);
    const body = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(readFileSync(file, "utf8"))?.[1];
    if (body === undefined) throw new Error(`icon ${name}: not an SVG file`);
    const shapes = body.replace(/<path stroke="none"[^>]*\/>/, "").replace(/\s*\n\s*/g, "");
    return (
      `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" ` +
      `stroke-linecap="round" stroke-linejoin="round">${shapes}</symbol>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>\n`;
}

function licences() {
  return bundled
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const text = file ? readFileSync(join(folder, file), "utf8").trim() : license;
      return `${name} ${version}\n\n${text}\n`;
    })
    .join("\n----------------------------------------\n\n");
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const shared = {
  bundle: true,
  minify: true,
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
  absWorkingDir: here,
  target: ["chrome123", "firefox128", "safari17.5"],
  outdir: out,
};
await build({
  ...shared,
  entryPoints: { app: "src/app.ts", theme: "src/theme.ts", designer: "src/designer.tsx" },
  format: "iife",
});
await build({
  ...shared,
  entryPoints: { app: "src/app.css", admin: "src/admin.css", designer: "src/designer.css" },
});
writeFileSync(join(out, "icons.svg"), sprite());
copyFileSync(join(here, "src/favicon.svg"), join(out, "favicon.svg"));
writeFileSync(join(out, "licences.txt"), licences());

let over = false;
for (const [name, budget] of Object.entries(budgets)) {
  const size = gzipSync(readFileSync(join(out, name)), { level: 9 }).length;
  const line = `${name.padEnd(10)} ${(size / 1024).toFixed(1)} KB of ${budget / 1024} KB`;
  if (size > budget) {
    over = true;
    console.error(`over budget: ${line}`);
  } else {
    console.log(line);
  }
}
if (over) process.exit(1);
