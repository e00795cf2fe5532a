// smoke-packages.mjs [--keep] [NAME...]: packs every package as it would be published (or the named ones with what they need), installs
// the tarballs in an empty folder and uses them there: one call of each package and subpath by import, one by require, a type check of an
// ES module and a CommonJS consumer. Then publint and attw on each, and the command alone, without its optional peers. --keep leaves the
// folder for a look.
// It exists because publint and attw look at one package, and neither installs nor calls it.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { entriesOf } from './lib/entries.mjs';
import { packagesWithDependencies } from './lib/packages.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { pnpmPath, root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';
import { checkOptionalPeers } from './smoke/optional-peers.mjs';

const problems = [];
const started = Date.now();
const report = (name, problem) => problems.push(name ? `packages/${name}: ${problem}` : problem);
const step = (text) => console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`);

setup();
const { values: flags, positionals: names } = parseArgs({ options: { keep: { type: 'boolean', default: false } }, allowPositionals: true });
if (!buildPackages({ types: true, names })) process.exit(1);

const built = buildablePackages(names);
for (const { name } of packagesWithDependencies(names))
  if (!built.some((entry) => entry.name === name)) report(name, 'has no src/index.ts');

const folder = mkdtempSync(join(tmpdir(), 'nodeagent-smoke-'));
const tarballs = join(folder, 'tarballs');
const consumer = join(folder, 'consumer');
mkdirSync(tarballs);
mkdirSync(consumer);

process.on('exit', () => {
  if (flags.keep) console.log(`kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
});

await pack();
step(`packed ${built.length} packages`);
await install();
step('installed them in an empty folder');
await Promise.all([callAll(), checkTypes().then(lint)]);
step('called, type-checked, linted');

if (built.some(({ name }) => name === 'cli')) {
  const tarballs = Object.fromEntries(built.map((entry) => [entry.name, tarballOf(entry)]));
  for (const problem of await checkOptionalPeers(join(folder, 'command'), tarballs)) report('cli', problem);
  step('installed the command alone');
}

for (const problem of problems) console.error(`smoke: ${problem}`);
console.log(`${built.length} packages, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

/** What users can import of the packages. */
function idsOf(chosen) {
  return chosen.flatMap(({ manifest }) => entriesOf(manifest).map(({ id }) => id));
}

/** Ends the run: nothing can be said about packages that could not even be packed or installed. */
function giveUp(what, { stdout, stderr }) {
  console.error(`smoke: ${what} failed\n${stdout}${stderr}`);
  process.exit(1);
}

function tarballOf({ name, manifest }) {
  return join(tarballs, `nodeagent-${name}-${manifest.version}.tgz`);
}

async function pack() {
  const filters = built.flatMap(({ name }) => ['--filter', `@nodeagent/${name}`]);
  const result = await capture(process.execPath, [pnpmPath(), ...filters, '-r', 'pack', '--pack-destination', tarballs]);
  if (result.status !== 0 || readdirSync(tarballs).length !== built.length) giveUp('pnpm pack', result);
}

async function install() {
  const dependencies = Object.fromEntries(built.map((entry) => [entry.manifest.name, `file:${tarballOf(entry)}`]));
  // What the rest would fetch from the registry under these names must come from the tarballs too, at any depth.
  writeFileSync(
    join(consumer, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, dependencies, overrides: dependencies }, null, 2),
  );
  const result = await capture('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: consumer,
  });
  if (result.status !== 0) giveUp('npm install of the tarballs', result);
}

async function callAll() {
  for (const file of ['calls.cjs', 'check.cjs']) cpSync(join(root, 'scripts', 'smoke', file), join(consumer, file));
  const called = idsOf(built).map((id) => id.slice('@nodeagent/'.length));
  await mapParallel(['import', 'require'], 2, async (way) => {
    const { status, stdout, stderr } = await capture(process.execPath, [join(consumer, 'check.cjs'), way, ...called], {
      cwd: consumer,
      timeoutMs: 60_000,
    });
    for (const line of stdout.split('\n').filter(Boolean)) report('', line);
    if (status === null) report('', `calls by ${way} did not end within a minute\n${stderr}`);
    else if (status !== 0 && stdout === '') report('', `calls by ${way} failed\n${stderr}`);
  });
}

/** Declarations are checked too (skipLibCheck is off), as a careful user does, by both compilers that users have. */
async function checkTypes() {
  const ids = idsOf(built);
  const imports = ids.map((id, i) => `import * as m${i} from '${id}';`);
  const text = [...imports, `export const all = [${ids.map((_, i) => `m${i}`).join(', ')}];`, ''].join('\n');
  writeFileSync(join(consumer, 'esm.mts'), text);
  writeFileSync(join(consumer, 'cjs.cts'), text);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['esm.mts', 'cjs.cts'] }));
  await mapParallel(['typescript', 'typescript-native'], 2, async (compiler) => {
    const tsc = join(root, 'node_modules', compiler, 'bin', 'tsc');
    const { status, stdout } = await capture(process.execPath, [tsc, '--pretty', 'false', '-p', consumer], { cwd: consumer });
    if (status !== 0) report('', `types of the installed packages, by ${compiler}:\n${stdout.trimEnd()}`);
  });
}

async function lint() {
  await mapParallel(built, 2, async (entry) => {
    const tarball = tarballOf(entry);
    const bytes = new Uint8Array(readFileSync(tarball));
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes.buffer } });
    for (const message of messages)
      if (message.type !== 'suggestion') report(entry.name, `publint: ${formatMessage(message, pkg, { color: false })}`);
    const analysis = await checkPackage(createPackageFromTarballData(bytes));
    if (!analysis.types) report(entry.name, 'attw: it has no types');
    for (const { kind, ...where } of analysis.problems ?? [])
      report(entry.name, `attw: ${problemKindInfo[kind].shortDescription}: ${JSON.stringify(where)}`);
  });
}
