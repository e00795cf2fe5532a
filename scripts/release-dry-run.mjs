// release-dry-run.mjs [--keep] [NAME...]: a release into a local registry, and its first readers. Packs and publishes all packages as
// release.mjs does. Then it follows each README of a package and each page of the documentation (or the named ones, such as `eviction` or
// `docs/running.md`) in a separate folder: installs by name what the page installs, runs its programs by import and by require, its commands
// with sh, and checks its manifests. The last lines count the blocks and name the reason of each that is not run. --keep leaves the folder.
// It exists because tarballs installed from files hide a dependency that the registry would not have.
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { startLocalRegistry } from './lib/local-registry.mjs';
import { packPackages } from './lib/pack.mjs';
import { stepsOf } from './lib/page-steps.mjs';
import { pages } from './lib/pages.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { publishPackages } from './lib/publish.mjs';
import { runPage } from './lib/run-page.mjs';
import { setup } from './lib/setup.mjs';

const started = Date.now();
const step = (text) => console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`);
const problems = [];

setup();
const { values: flags, positionals: names } = parseArgs({ options: { keep: { type: 'boolean', default: false } }, allowPositionals: true });
if (!buildPackages({ types: true })) process.exit(1);
const all = buildablePackages();
const readmes = all.map((entry) => ({ title: entry.name, file: join(entry.dir, 'README.md'), entry }));
const documents = [...readmes, ...pages().map((title) => ({ title, file: join(root, title) }))]
  .filter(({ title }) => names.length === 0 || names.includes(title))
  .map((document) => ({ ...document, steps: stepsOf(readFileSync(document.file, 'utf8')) }));
const unknown = names.filter((name) => !documents.some(({ title }) => title === name));
if (unknown.length > 0) {
  console.error(`release-dry-run: no such package or page: ${unknown.join(', ')}`);
  process.exit(2);
}

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

const npm = writeNpm();
const manifests = [];
let cloning;
const clone = () => {
  cloning ??= prepareClone();
  return cloning;
};
await mapParallel(documents, 2, follow);
if (manifests.length > 0) await checkManifests();
registry.close();
for (const problem of problems) console.error(`release-dry-run: ${problem}`);
report();
process.exit(problems.length > 0 ? 1 : 0);

/** An empty project that takes the packages of this repository from the local registry. */
function projectIn(name) {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, '.npmrc'), registry.npmrc);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true }));
  return project;
}

/** An `npm` for the commands of pages, which may create their own projects: with the local registry and without requests that take time. */
function writeNpm() {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const userConfig = join(folder, 'npmrc');
  writeFileSync(userConfig, registry.npmrc);
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const real = process.env.PATH.split(delimiter)
    .map((path) => join(path, 'npm'))
    .find(existsSync);
  const scope = `--@nodeagent:registry=${registry.url}`;
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nexec '${real}' "$@" ${[...options, scope].join(' ')}\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  return bin;
}

/** Whether the page starts in an empty folder with an installation of packages; other pages start in a clone. */
function installs({ entry, steps }) {
  return entry !== undefined || steps.some(({ kind, script }) => kind === 'commands' && /^npm install .*@nodeagent\//m.test(script));
}

/** A folder like a clone in which everything is built: all packages, installed by name, and the tools of the examples. */
async function prepareClone() {
  const project = projectIn('clone');
  const ids = all.map(({ manifest }) => manifest.name);
  const { status, stderr } = await capture(join(npm, 'npm'), ['install', ...ids], { cwd: project });
  if (status !== 0) problems.push(`npm install of all packages failed\n${stderr.trimEnd()}`);
  const modules = join(project, 'node_modules');
  for (const tool of ['tsx', 'vitest', '@kubernetes/client-node']) {
    mkdirSync(join(modules, tool, '..'), { recursive: true });
    rmSync(join(modules, tool), { recursive: true, force: true });
    symlinkSync(join(root, 'node_modules', tool), join(modules, tool));
  }
  for (const command of ['tsx', 'vitest']) {
    rmSync(join(modules, '.bin', command), { force: true });
    symlinkSync(join(root, 'node_modules', '.bin', command), join(modules, '.bin', command));
  }
  step('installed all packages in one folder');
  return project;
}

async function follow(document) {
  const { title, steps, entry } = document;
  const isRun = ({ kind }) => ['program', 'commands'].includes(kind);
  if (!steps.some(isRun) && entry === undefined) {
    // Nothing to run: the manifests need no folder.
    await runPage({ title, steps: steps.filter(({ kind }) => kind === 'manifest'), manifests });
    return;
  }
  const project = projectIn(`reader-of-${title.replaceAll('/', '-')}`);
  if (!installs(document)) {
    symlinkSync(join(await clone(), 'node_modules'), join(project, 'node_modules'));
    cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true });
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'clone', private: true, type: 'module' }));
    // As in this repository: tests of clusters take seconds.
    writeFileSync(join(project, 'vitest.config.mjs'), 'export default { test: { testTimeout: 30_000 } };\n');
  }
  const path = [npm, join(project, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, XDG_STATE_HOME: join(project, 'state') };
  const found = await runPage({ title, steps, folder: project, env, manifests });
  if (entry !== undefined)
    found.push(...missingFiles(join(project, 'node_modules', entry.manifest.name)).map((name) => `${title}: its tarball has no ${name}`));
  problems.push(...found);
  if (found.length === 0) step(`${title}: ${steps.filter(isRun).length} blocks`);
}

function missingFiles(installed) {
  return ['README.md', 'LICENSE', 'CHANGELOG.md'].filter((file) => !existsSync(join(installed, file)));
}

async function checkManifests() {
  const list = join(folder, 'manifests.json');
  writeFileSync(list, JSON.stringify(manifests));
  const program = join(await clone(), 'check-manifests.mjs');
  cpSync(join(root, 'scripts', 'smoke', 'check-manifests.mjs'), program);
  const { status, stdout, stderr } = await capture(process.execPath, [program, list]);
  if (status !== 0) problems.push(`the check of the manifests failed\n${stderr.trimEnd()}`);
  problems.push(...stdout.split('\n').filter(Boolean));
}

function report() {
  const steps = documents.flatMap(({ title, steps }) => steps.map((step) => ({ title, ...step })));
  const count = (...kinds) => steps.filter(({ kind }) => kinds.includes(kind)).length;
  for (const { title, reason } of steps.filter(({ kind }) => kind === 'skip')) console.log(`not run: ${title}: ${reason}`);
  const counts = `${count('program', 'commands')} run, ${count('manifest')} checked, ${count('file')} are files of what runs, ${count('quote')} are quotes, ${count('skip')} not run`;
  console.log(`${documents.length} pages, ${steps.length} blocks: ${counts}; ${problems.length} problems`);
}
