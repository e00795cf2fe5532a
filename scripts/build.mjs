// build.mjs [--no-types] [--force] [NAME...]: builds the packages that changed since the last build, two or more at a time: the named
// ones with what they need, or all. --no-types leaves out the declarations, which take most of the time; --force builds anew.
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, fingerprint, stalePackages, stampPackage } from './lib/build.mjs';
import { neededPackages } from './lib/packages.mjs';
import { capture } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const { values: flags, positionals: names } = parseArgs({
  options: { 'no-types': { type: 'boolean', default: false }, force: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const types = !flags['no-types'] && process.env.NODEAGENT_BUILD_TYPES !== '0';
const tsup = join(root, 'node_modules', 'tsup', 'dist', 'cli-default.js');

setup();
const chosen = flags.force ? buildablePackages(names) : stalePackages({ types, names });
const waiting = new Map(chosen.map((entry) => [entry.name, entry]));
const total = waiting.size;
const unbuilt = new Set(waiting.keys());
const failures = [];
const started = Date.now();
if (total > 3)
  console.error(`building ${total} packages${types ? ' with their types' : ''} (about ${types ? 'a minute or two' : 'half a minute'})`);

/** A package's declarations are made from those of its dependencies; its JavaScript needs nothing of theirs. */
function isReady({ manifest }) {
  if (!types) return true;
  return neededPackages(manifest).every((name) => !unbuilt.has(name));
}

function takeReady() {
  for (const entry of waiting.values()) {
    if (!isReady(entry)) continue;
    waiting.delete(entry.name);
    return entry;
  }
  return undefined;
}

async function build(entry) {
  const hash = fingerprint(entry);
  rmSync(join(entry.dir, 'dist'), { recursive: true, force: true });
  const env = { ...process.env, NODEAGENT_BUILD_TYPES: types ? '1' : '0' };
  const { status, stdout, stderr } = await capture(process.execPath, [tsup], { cwd: entry.dir, env });
  if (status === 0) {
    stampPackage(entry, { hash, types });
    unbuilt.delete(entry.name);
  } else {
    failures.push(`packages/${entry.name}\n${stdout}${stderr}`.trimEnd());
  }
}

await new Promise((resolve) => {
  let running = 0;
  const fill = () => {
    while (running < Math.max(2, availableParallelism() - 1)) {
      const entry = takeReady();
      if (entry === undefined) break;
      running++;
      build(entry).then(() => {
        running--;
        fill();
      });
    }
    if (running === 0) resolve();
  };
  fill();
});

for (const failure of failures) console.error(`build: ${failure}`);
if (waiting.size > 0) console.error(`build: not built for want of others: ${[...waiting.keys()].join(', ')}`);
const built = total - failures.length - waiting.size;
if (total > 0)
  console.error(`built ${built} of ${total} packages${types ? '' : ' (no types)'} in ${((Date.now() - started) / 1_000).toFixed(1)} s`);
process.exit(built === total ? 0 : 1);
