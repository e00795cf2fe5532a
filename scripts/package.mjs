// package.mjs [--out DIR]: writes the command for operators of nodes: a tarball, a Debian package, their bill of materials and SHA256SUMS.
// The code is that of the tarballs which a release publishes. The bytes depend on the commit, and on the versions of npm, Node and dpkg
// (docs/decisions/0044-package-the-release-tarballs.md).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { sha256Sums, writeDebianPackage, writeTarball } from './lib/package/archives.mjs';
import { writeCommandFiles } from './lib/package/command-files.mjs';
import { createFileTree, filesBelow } from './lib/package/file-tree.mjs';
import { installProduction } from './lib/package/production-install.mjs';
import { createSbom } from './lib/package/sbom.mjs';
import { capture } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const { values: flags } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist-packages') }, help: { type: 'boolean', short: 'h', default: false } },
});
if (flags.help) {
  console.log(`usage: npm run package -- [--out DIR]

Writes the packages of the nodeagent command to DIR, which it first empties (default: dist-packages/):

  nodeagent-VERSION-linux-noarch.tar.gz   the command with its dependencies, for any Linux with Node
  nodeagent_VERSION_all.deb               the same for Debian and Ubuntu
  nodeagent-VERSION.cdx.json              bill of materials, CycloneDX
  SHA256SUMS                              for sha256sum --check

SOURCE_DATE_EPOCH: time of all files, in seconds since 1970. Default: the time of the commit.`);
  process.exit(0);
}

setup();
if (!buildPackages({ types: true, names: ['cli'] })) process.exit(1);
const work = mkdtempSync(join(tmpdir(), 'nodeagent-package-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const out = resolve(flags.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const entries = buildablePackages(['cli']);
const { version } = entries.find(({ name }) => name === 'cli').manifest;
// A pre-release sorts before the release.
const debianVersion = version.replace('-', '~');
const epochSeconds = await sourceDate();
const installed = await installProduction(entries, work);
const sbom = `${JSON.stringify(await createSbom(installed, { epochSeconds }), null, 2)}\n`;
const artifacts = {
  tarball: join(out, `nodeagent-${version}-linux-noarch.tar.gz`),
  debian: join(out, `nodeagent_${debianVersion}_all.deb`),
  sbom: join(out, `nodeagent-${version}.cdx.json`),
};
writeFileSync(artifacts.sbom, sbom);

const content = { installed, sbom, epochSeconds };
const tarballTree = createFileTree(join(work, `nodeagent-${version}`));
await writeCommandFiles(tarballTree, { ...content, prefix: '' });
tarballTree.finish(epochSeconds);
await writeTarball(tarballTree.folder, artifacts.tarball, { epochSeconds });

const debianTree = createFileTree(join(work, 'debian'));
await writeCommandFiles(debianTree, { ...content, prefix: 'usr' });
await writeDebianPackage(debianTree, artifacts.debian, { version: debianVersion, epochSeconds });

writeFileSync(join(out, 'SHA256SUMS'), sha256Sums(Object.values(artifacts)));
for (const { path, bytes } of filesBelow(out)) console.log(`${String(Math.ceil(bytes / 1024)).padStart(6)} KiB  ${path}`);

/** SOURCE_DATE_EPOCH, or the time of the commit. */
async function sourceDate() {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  if (given !== undefined) return Number(given);
  const { stdout } = await capture('git', ['log', '-1', '--format=%ct']);
  return Number(stdout);
}
