// release.mjs: publishes every package whose version the registry lacks, after all tests: builds, runs `npm test`, packs, publishes with
// provenance and tags the commit. docs/releases.md describes the steps before (`changeset version`) and after it (pushing the tags).
// It exists beside `changeset publish`, which packs again what was tested and can publish only with provenance or only without: this
// publishes the tarballs that release-dry-run.mjs installs from a local registry, by the same code.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { packPackages } from './lib/pack.mjs';
import { root, run } from './lib/pnpm.mjs';
import { publishPackages } from './lib/publish.mjs';
import { setup } from './lib/setup.mjs';

const output = (command, args) => spawnSync(command, args, { cwd: root, encoding: 'utf8' }).stdout.trim();

if (output('git', ['status', '--porcelain']) !== '') fail('commit or discard the changes first; a release is made from a commit');
const changesets = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');
if (changesets.length > 0) fail(`run \`npx changeset version\` first and commit the result; pending: ${changesets.join(', ')}`);

setup();
run(process.execPath, ['scripts/test.mjs']);
if (!buildPackages({ types: true })) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'nodeagent-release-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const packages = buildablePackages();
const published = await publishPackages(packages, {
  tarballOf: await packPackages(packages, join(folder, 'tarballs')),
  registry: output('npm', ['config', 'get', 'registry']),
  cwd: root,
  provenance: true,
  onPublished: ({ manifest }) => console.log(`published ${manifest.name}@${manifest.version}`),
}).catch((error) => fail(error.message));
console.log(`${published.length} of ${packages.length} packages published`);
run(join(root, 'node_modules', '.bin', 'changeset'), ['tag']);

function fail(reason) {
  console.error(`release: ${reason}`);
  process.exit(1);
}
