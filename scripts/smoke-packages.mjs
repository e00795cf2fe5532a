// smoke-packages.mjs [--keep] [--node MAJOR]... [NAME...]: packs every package as it would be published (or the named ones with what they need),
// installs
// the tarballs in an empty folder and uses them there: one call of each package and subpath by import, by require and from bundles made by
// esbuild, a type check of an ES module and a CommonJS consumer with and without @types/node, the newcomers' examples. Then publint and attw on each, and the
// budgets of what each installs and loads, and the command alone, without its optional peers. --keep leaves the folder for inspection;
// --node makes the calls on another Node too.
// It exists because publint and attw check one package, and neither installs nor calls it.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemKindInfo } from '@arethetypeswrong/core/problems';
import * as esbuild from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { entriesOf } from './lib/entries.mjs';
import { fetchNode } from './lib/fetch-node.mjs';
import { firstPrograms } from './lib/first-programs.mjs';
import { measurePackages, overBudget } from './lib/footprint.mjs';
import { staleRows } from './lib/footprint-table.mjs';
import { installPacked } from './lib/install-packed.mjs';
import { packagesWithNodeTypes } from './lib/node-types.mjs';
import { packagesWithDependencies } from './lib/packages.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { outputOf } from './lib/readme.mjs';
import { setup } from './lib/setup.mjs';
import { checkOptionalPeers } from './smoke/optional-peers.mjs';

/** Node requires ES modules as well; Jest does not. */
const requireCommonJs = '--no-experimental-require-module';
const problems = [];
const started = Date.now();
const report = (name, problem) => problems.push(name ? `packages/${name}: ${problem}` : problem);
const step = (text) => console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`);

setup();
const { values: flags, positionals: names } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, node: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
if (!buildPackages({ types: true, names })) process.exit(1);

const built = buildablePackages(names);
for (const { name } of packagesWithDependencies(names))
  if (!built.some((entry) => entry.name === name)) report(name, 'has no src/index.ts');

const { folder, consumer, tarballOf } = await installPacked(built, { keep: flags.keep, onStep: step }).catch((error) => {
  // Packages that could not be packed or installed cannot be checked.
  console.error(`smoke: ${error.message}`);
  process.exit(1);
});
const ids = built.flatMap(({ manifest }) => entriesOf(manifest).map(({ id }) => id));
checkNames();
await Promise.all([callAll(), checkTypes().then(lint)]);
step('called, bundled, type-checked, linted');
await runFirstPrograms();
await checkFootprints();
step('measured');

if (built.some(({ name }) => name === 'cli')) {
  const tarballs = Object.fromEntries(built.map((entry) => [entry.name, tarballOf(entry)]));
  for (const problem of await checkOptionalPeers(join(folder, 'command'), tarballs)) report('cli', problem);
  step('installed the command alone');
}

for (const problem of problems) console.error(`smoke: ${problem}`);
console.log(`${built.length} packages, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

/**
 * Calls everything that users can import in four ways: by import, by require, and from one file that esbuild made of all packages, which
 * lies where no package is installed, in both formats. CommonJS packages in a bundle of ES modules need `require`, which users add by a banner.
 */
async function callAll() {
  for (const file of ['calls.cjs', 'check.cjs']) cpSync(join(root, 'scripts', 'smoke', file), join(consumer, file));
  const names = ids.map((id) => id.slice('@nodeagent/'.length));
  const imports = ids.map((id, i) => `import * as m${i} from '${id}';`);
  const imported = names.map((name, i) => `'${name}': m${i}`);
  const required = ids.map((id, i) => `'${names[i]}': require('${id}')`);
  const entries = { import: join(consumer, 'import.mjs'), require: join(consumer, 'require.cjs') };
  writeFileSync(entries.import, `${imports.join('\n')}\nimport check from './check.cjs';\ncheck({ ${imported.join(', ')} });\n`);
  writeFileSync(entries.require, `require('./check.cjs')({ ${required.join(', ')} });\n`);
  const bundles = { 'bundled import': join(folder, 'bundled.mjs'), 'bundled require': join(folder, 'bundled.cjs') };
  const banner = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";
  await bundle({ entryPoints: [entries.import], outfile: bundles['bundled import'], format: 'esm', banner: { js: banner } });
  await bundle({ entryPoints: [entries.require], outfile: bundles['bundled require'], format: 'cjs' });
  const nodes = [
    { node: process.execPath, on: '' },
    ...flags.node.map((major) => ({ node: join(fetchNode(major), 'node'), on: ` on Node ${major}` })),
  ];
  const calls = nodes.flatMap(({ node, on }) =>
    Object.entries({ ...entries, ...bundles }).map(([way, file]) => ({ node, way: `${way}${on}`, file })),
  );
  await mapParallel(calls, 2, async ({ node, way, file }) => {
    const args = file.endsWith('.cjs') ? [requireCommonJs, file] : [file];
    const { status, stdout, stderr } = await capture(node, args, { cwd: folder, timeoutMs: 60_000 });
    for (const line of stdout.split('\n').filter(Boolean)) report('', `by ${way}: ${line}`);
    if (status === null) report('', `calls by ${way} did not end within a minute\n${stderr}`);
    else if (status !== 0 && stdout === '') report('', `calls by ${way} failed\n${stderr}`);
  });
}

/** The newcomers' programs print what their README.md shows. */
async function runFirstPrograms() {
  if (names.length > 0) return;
  await mapParallel(firstPrograms, 2, async (name) => {
    const example = join(root, 'examples', name);
    const file = join(consumer, `${name}.mjs`);
    cpSync(join(example, 'main.ts'), file);
    const { status, stdout, stderr } = await capture(process.execPath, [file], { cwd: consumer, timeoutMs: 60_000 });
    if (status !== 0) report('', `examples/${name} ended with ${status}\n${stderr}`);
    else if (stdout.trimEnd() !== outputOf(readFileSync(join(example, 'README.md'), 'utf8')).trimEnd())
      report('', `examples/${name} prints\n${stdout}`);
  });
  step(`ran ${firstPrograms.length} examples`);
}

async function bundle(options) {
  const { errors } = await esbuild
    .build({ ...options, bundle: true, platform: 'node', target: 'node20', logLevel: 'silent' })
    .catch((failure) => failure);
  for (const { text, location } of errors) report('', `esbuild cannot bundle ${location?.file}: ${text}`);
}

/** Names of Node's modules have `node:`: bundlers for other platforms take `fs` for a package. */
function checkNames() {
  const bare = new RegExp(
    `(?:\\bfrom|\\bimport|\\brequire\\(|\\bimport\\()\\s*['"](${builtinModules.filter((name) => !name.startsWith('_')).join('|')})['"]`,
  );
  for (const { name, manifest } of built) {
    const dist = join(consumer, 'node_modules', manifest.name, 'dist');
    for (const file of readdirSync(dist)) {
      const [, found] = /\.c?js$/.test(file) ? (bare.exec(readFileSync(join(dist, file), 'utf8')) ?? []) : [];
      if (found !== undefined) report(name, `dist/${file} imports '${found}' without node:`);
    }
  }
}

/** One run for each way of loading: the limits of time and memory are far from what is usual. */
async function checkFootprints() {
  if (names.length > 0) return;
  const footprints = await measurePackages(
    consumer,
    built.map(({ name }) => name),
    { runs: 1, width: 2 },
  );
  const budgets = JSON.parse(readFileSync(join(root, 'scripts', 'package-budgets.json'), 'utf8'));
  for (const problem of [...overBudget(footprints, budgets), ...staleRows(footprints)]) report('', problem);
}

/**
 * Declarations are checked too (skipLibCheck is off), as a careful user does, by both compilers that users have. Without @types/node those
 * of all packages that do not have it as a peer.
 */
async function checkTypes() {
  const needsNode = packagesWithNodeTypes(consumer, built);
  for (const { name, manifest } of built) {
    const hasPeer = '@types/node' in (manifest.peerDependencies ?? {});
    if (needsNode.has(manifest.name) && !hasPeer) report(name, 'its types need @types/node, which must be among its peerDependencies');
    if (!needsNode.has(manifest.name) && hasPeer) report(name, 'its types do not need @types/node, which is among its peerDependencies');
  }
  const packageOf = (id) => id.split('/').slice(0, 2).join('/');
  const lib = ['ES2023'];
  const node = { lib, types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
  const withoutNode = ids.filter((id) => !needsNode.has(packageOf(id)));
  const browser = { lib: [...lib, 'DOM'], types: [] };
  const checks = [
    ['typescript', ids, node],
    ['typescript-native', ids, node],
    ['typescript-native', withoutNode, browser],
  ];
  await mapParallel([...checks.entries()], 2, async ([i, [compiler, checked, options]]) => {
    const project = join(consumer, `types-${i}`);
    mkdirSync(project);
    const imports = checked.map((id, at) => `import * as m${at} from '${id}';`);
    const text = [...imports, `export const all = [${checked.map((_, at) => `m${at}`).join(', ')}];`, ''].join('\n');
    writeFileSync(join(project, 'esm.mts'), text);
    writeFileSync(join(project, 'cjs.cts'), text);
    const compilerOptions = { target: 'ES2022', module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: false, ...options };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['esm.mts', 'cjs.cts'] }));
    const tsc = join(root, 'node_modules', compiler, 'bin', 'tsc');
    const { status, stdout } = await capture(process.execPath, [tsc, '--pretty', 'false', '-p', project], { cwd: project });
    const types = options === node ? '' : ' without @types/node';
    if (status !== 0) report('', `types of the installed packages${types}, by ${compiler}:\n${stdout.trimEnd()}`);
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
