import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { capture } from '../parallel.mjs';
import { root } from '../pnpm.mjs';
import { repositoryUrl } from '../repository.mjs';
import { copyrightText } from './notices.mjs';
import { packageFolderOf, runtimeFiles } from './runtime-files.mjs';

const bin = 'node_modules/@nodeagent/cli/dist/bin.js';

/**
 * Writes an installation into a file tree below `prefix` ('usr' or ''): the command, its manual page, completions, systemd unit, licences
 * and bill of materials, and the configuration in etc/.
 */
export async function writeCommandFiles(tree, { prefix, installed, sbom, epochSeconds }) {
  const at = (path) => join(prefix, path);
  const files = await runtimeFiles(installed);
  for (const file of files) {
    const [source, target] = [join(installed, file), at(`lib/nodeagent/${file}`)];
    if (file.endsWith('/package.json')) tree.write(target, sortedManifest(source));
    else tree.copy(source, target, file === bin ? 0o755 : 0o644);
  }
  tree.link(`../lib/nodeagent/${bin}`, at('bin/nodeagent'));

  const packaging = join(root, 'packaging');
  tree.copy(join(packaging, 'nodeagent.service'), at('lib/systemd/system/nodeagent.service'));
  tree.copy(join(packaging, 'oci.conf'), at('share/nodeagent/oci.conf'));
  tree.copy(join(packaging, 'config.yaml'), 'etc/nodeagent/config.yaml');
  tree.copy(join(packaging, 'default'), 'etc/default/nodeagent');

  const date = new Date(epochSeconds * 1_000).toISOString().slice(0, 10);
  const tsx = join(root, 'node_modules', '.bin', 'tsx');
  const page = await outputOf(tsx, [join(root, 'packages/cli/scripts/print-man-page.ts'), date]);
  tree.write(at('share/man/man1/nodeagent.1.gz'), gzipSync(page, { level: 9 }));
  const completion = (shell) => outputOf(process.execPath, [join(installed, bin), 'completion', shell]);
  tree.write(at('share/bash-completion/completions/nodeagent'), await completion('bash'));
  // Debian's packages and programs of the administrator have different folders.
  const functions = prefix === 'usr' ? 'vendor-completions' : 'site-functions';
  tree.write(at(`share/zsh/${functions}/_nodeagent`), await completion('zsh'));
  tree.write(at('share/fish/vendor_completions.d/nodeagent.fish'), await completion('fish'));

  const folders = [...new Set(files.map(packageFolderOf))];
  const license = readFileSync(join(root, 'LICENSE'), 'utf8');
  tree.write(at('share/doc/nodeagent/copyright'), copyrightText({ installed, folders, license, homepage: repositoryUrl }));
  tree.write(at('share/doc/nodeagent/sbom.cdx.json'), sbom);
}

/** A package.json with its dependencies of all kinds by name: pnpm packs them in an order that differs from run to run. */
function sortedManifest(file) {
  const fields = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
  const sorted = fields.map(([field, value]) => [field, /dependencies$/i.test(field) ? sortedByName(value) : value]);
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function sortedByName(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function outputOf(command, args) {
  const { status, stdout, stderr } = await capture(command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${stderr}`);
  return stdout;
}
