// build.mjs [--no-types] [--force] [NAME...]: builds the packages that changed since the last build: the named ones with what they need, or
// all. --no-types leaves out the declarations; --force builds everything again. It exists beside `pnpm -r run build` for time: one process
// runs tsup for all packages, and one run of the native compiler emits all declarations.
import { parseArgs } from 'node:util';
import { areBuilt, buildablePackages, fingerprint, siblingsFirst, stampOf, stampPackage } from './lib/build.mjs';
import { bundleDeclarations, declarationsHash, emitDeclarations } from './lib/declarations.mjs';
import { buildJavaScript } from './lib/javascript.mjs';
import { setup } from './lib/setup.mjs';

const { values: flags, positionals: names } = parseArgs({
  options: { 'no-types': { type: 'boolean', default: false }, force: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const types = !flags['no-types'];

setup();
const started = Date.now();
const chosen = buildablePackages(names);
const built = new Set();
const failures = [];
if (!flags.force && areBuilt(chosen, { types })) process.exit(0);

const emission = types ? emitDeclarations(flags) : undefined;
await buildJavaScriptOf(siblingsFirst(chosen));
if (types) {
  const errors = await emission;
  if (errors === undefined) await bundleDeclarationsOf(buildablePackages());
  else failures.push(errors);
}

for (const failure of failures) console.error(`build: ${failure}`);
const seconds = ((Date.now() - started) / 1_000).toFixed(1);
console.error(`built ${built.size} packages${types ? '' : ' (no types)'} in ${seconds} s${failures.length > 0 ? ', with failures' : ''}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Runs one step for a package; the others are built even if it fails. */
async function attempt({ name }, step) {
  try {
    await step();
    built.add(name);
  } catch (error) {
    failures.push(`packages/${name}: ${error.message}`);
  }
}

async function buildJavaScriptOf(entries) {
  for (const entry of entries) {
    const sources = fingerprint(entry);
    if (!flags.force && stampOf(entry).sources === sources) continue;
    await attempt(entry, async () => {
      stampPackage(entry, {});
      await buildJavaScript(entry);
      stampPackage(entry, { sources });
    });
  }
}

/** Bundles for the chosen packages, and for those already built whose declarations follow from what changed in another package. */
async function bundleDeclarationsOf(entries) {
  for (const entry of entries) {
    const { sources, declarations: bundled } = stampOf(entry);
    const declarations = declarationsHash(entry);
    const isWanted = bundled !== undefined || chosen.some(({ name }) => name === entry.name);
    if (!isWanted || sources === undefined || bundled === declarations) continue;
    await attempt(entry, async () => {
      await bundleDeclarations(entry);
      stampPackage(entry, { sources, declarations });
    });
  }
}
