// release-dry-run.mjs [--keep] [NAME...]: a release into a local registry, and its first users. Packs and publishes all packages as
// release.mjs does, then installs each package (or the named ones) by name in an empty project, with the `npm install` commands of its
// README, and runs all examples of the README there, by import and by require. --keep leaves the folder for inspection.
// It exists because tarballs installed from files hide a dependency that the registry would not have.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { commonJsOf, esModuleOf } from './lib/example-formats.mjs';
import { startLocalRegistry } from './lib/local-registry.mjs';
import { packPackages } from './lib/pack.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { publishPackages } from './lib/publish.mjs';
import { examplesOf, installedBy } from './lib/readme.mjs';
import { setup } from './lib/setup.mjs';

const timeLimitMs = 60_000;
const started = Date.now();
const step = (text) => console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`);
const problems = [];

setup();
const { values: flags, positionals: names } = parseArgs({ options: { keep: { type: 'boolean', default: false } }, allowPositionals: true });
if (!buildPackages({ types: true })) process.exit(1);
const all = buildablePackages();
const wanted = names.length === 0 ? all : buildablePackages(names).filter(({ name }) => names.includes(name));

const folder = mkdtempSync(join(tmpdir(), 'nodeagent-release-'));
process.on('exit', () => {
  if (flags.keep) console.log(`kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
});
const tarballOf = await packPackages(all, join(folder, 'tarballs'));
step(`packed ${all.length} packages`);

const registry = await startLocalRegistry(join(folder, 'registry'));
const publisher = projectIn('publisher');
const publish = () => publishPackages(all, { tarballOf, registry: registry.url, cwd: publisher, provenance: false });
const { length: published } = await publish();
if (published !== all.length) problems.push(`${published} of ${all.length} packages were published`);
const { length: again } = await publish();
if (again > 0) problems.push(`${again} packages were published again by a repeated release`);
step(`published ${published} packages to a local registry`);

let examples = 0;
let notRun = 0;
await mapParallel(wanted, 2, installAndRun);
registry.close();
for (const problem of problems) console.error(`release-dry-run: ${problem}`);
console.log(
  `${wanted.length} packages installed, ${examples} examples run by import and by require, ${notRun} not run, ${problems.length} problems`,
);
process.exit(problems.length > 0 ? 1 : 0);

/** An empty project that takes the packages of this repository from the local registry. */
function projectIn(name) {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, '.npmrc'), registry.npmrc);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true }));
  return project;
}

async function installAndRun({ name, manifest }) {
  const project = projectIn(`user-of-${name}`);
  const failuresBefore = problems.length;
  // The name first, as a user's first command is; the README comes with the package.
  if (!(await install(project, name, [manifest.name]))) return;
  const installed = join(project, 'node_modules', manifest.name);
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    if (!existsSync(join(installed, file))) problems.push(`packages/${name}: its tarball has no ${file}`);
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const others = installedBy(readme).filter((id) => id !== manifest.name);
  if (others.length > 0 && !(await install(project, name, others))) return;
  const { examples: found = [], problem } = examplesOf(readme);
  if (problem !== undefined) problems.push(`packages/${name}: ${problem}`);
  for (const [i, example] of found.entries()) await runExample(project, `packages/${name}, example ${i + 1}`, `example-${i + 1}`, example);
  if (problems.length === failuresBefore) step(`${manifest.name}: ${found.length === 1 ? '1 example' : `${found.length} examples`}`);
}

async function install(project, name, ids) {
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...ids];
  const { status, stderr } = await capture('npm', args, { cwd: project });
  if (status !== 0) problems.push(`packages/${name}: npm install ${ids.join(' ')} failed\n${stderr.trimEnd()}`);
  return status === 0;
}

async function runExample(project, title, file, { code, output, notRun: reason }) {
  if (reason !== undefined) {
    notRun++;
    step(`${title} is not run: ${reason}`);
    return;
  }
  examples++;
  const ways = { import: [`${file}.mjs`, await esModuleOf(code)], require: [`${file}.cjs`, await commonJsOf(code)] };
  for (const [way, [name, text]] of Object.entries(ways)) {
    writeFileSync(join(project, name), text);
    const { status, stdout, stderr } = await capture(process.execPath, [name], { cwd: project, timeoutMs: timeLimitMs });
    if (status === null) problems.push(`${title} by ${way} did not end within ${timeLimitMs / 1_000} s`);
    else if (status !== 0) problems.push(`${title} by ${way} ended with ${status}\n${stderr.trimEnd()}`);
    else if (stdout.trimEnd() !== output.trimEnd())
      problems.push(`${title} by ${way} prints\n${stdout.trimEnd()}\nbut its README has\n${output.trimEnd()}`);
  }
}
