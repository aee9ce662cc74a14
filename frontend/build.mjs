// Builds the front end into flowadmin/static/flowadmin/dist: scripts, styles, one icon sprite.
// The same inputs give the same bytes; a file over its budget fails the build.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "flowadmin", "static", "flowadmin", "dist");

// Limits in bytes after gzip -9. A script counts with everything that it imports at its start.
const budgets = {
  "app.js": 45 * 1024,
  "designer.js": 45 * 1024,
  "theme.js": 1024,
  "app.css": 90 * 1024,
  "admin.css": 4 * 1024,
  "designer.css": 8 * 1024,
  "icons.svg": 12 * 1024,
};
// A part of the designer that is fetched later, with what it imports beyond the start of the page;
// and everything of the designer together.
const partBudget = 45 * 1024;
const designerBudget = 110 * 1024;

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

/**
 * Lets each part that is fetched later import the whole start of its entry. Left alone, esbuild
 * makes a file of its own for every set of parts that have a module in common: a dozen small files
 * to fetch before the first look. So there is one file of the start, which all others import.
 */
function partsOf(entry) {
  return {
    name: "parts",
    setup(bundle) {
      bundle.onResolve(
        { filter: /^\./ },
        async ({ kind, path, resolveDir, importer, namespace }) => {
          if (kind !== "dynamic-import" || namespace !== "file") return undefined;
          const found = await bundle.resolve(path, {
            kind: "import-statement",
            resolveDir,
            importer,
          });
          if (found.errors.length > 0) return found;
          // Not the path of this checkout: it goes into the names of the files.
          return { path: relative(here, found.path), namespace: "part" };
        },
      );
      bundle.onLoad({ filter: /.*/, namespace: "part" }, ({ path }) => ({
        contents: `import "./${entry}"; export * from "./${path}";`,
        resolveDir: here,
      }));
    },
  };
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
  entryPoints: { app: "src/app.ts", theme: "src/theme.ts" },
  format: "iife",
});
// Modules: `designer.js` imports its start, and that its parts when they are wanted. The files
// beside it have the hash of their content in their names, so that they name each other as they are
// served; who hashes names again (collectstatic) does so for `designer.js` alone.
const { metafile } = await build({
  ...shared,
  entryPoints: { designer: "src/designer.tsx" },
  format: "esm",
  splitting: true,
  chunkNames: "[name]-[hash]",
  metafile: true,
  plugins: [partsOf("src/designer.tsx")],
});
await build({
  ...shared,
  entryPoints: { app: "src/app.css", admin: "src/admin.css", designer: "src/designer.css" },
});
writeFileSync(join(out, "icons.svg"), sprite());
copyFileSync(join(here, "src/favicon.svg"), join(out, "favicon.svg"));
writeFileSync(join(out, "licences.txt"), licences());

const imports = new Map(
  Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output.imports]),
);

/** A file with all that it imports before it runs. */
function atOnce(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { kind, path } of imports.get(name) ?? []) {
    if (kind === "import-statement") atOnce(basename(path), found);
  }
  return found;
}

const begin = atOnce("designer.js");
const parts = [...new Set([...begin].flatMap((name) => imports.get(name)))]
  .filter(({ kind }) => kind === "dynamic-import")
  .map(({ path }) => basename(path))
  .sort();
// What `script/build` looks for, besides the files of fixed names.
const split = [...imports.keys()].filter((name) => name !== "designer.js").sort();
writeFileSync(join(out, "parts.txt"), split.map((name) => `${name}\n`).join(""));

let over = false;

function weigh(title, names, budget) {
  const size = [...names]
    .map((name) => gzipSync(readFileSync(join(out, name)), { level: 9 }).length)
    .reduce((sum, each) => sum + each, 0);
  const line = `${title.padEnd(22)} ${(size / 1024).toFixed(1)} KB of ${budget / 1024} KB`;
  if (size > budget) {
    over = true;
    console.error(`over budget: ${line}`);
  } else {
    console.log(line);
  }
}

for (const [name, budget] of Object.entries(budgets)) weigh(name, atOnce(name), budget);
for (const name of parts) {
  const more = [...atOnce(name)].filter((each) => !begin.has(each));
  weigh(`  ${name.replace(/-\w+\.js$/, "")}`, more, partBudget);
}
weigh("designer, everything", imports.keys(), designerBudget);
if (over) process.exit(1);
