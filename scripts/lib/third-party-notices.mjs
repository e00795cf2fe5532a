import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Between the notices of a THIRD-PARTY-NOTICES file. */
export const noticeSeparator = `\n\n${'-'.repeat(80)}\n\n`;

/** The folder of the package under node_modules/ that a file belongs to; undefined for our own. */
function packageFolderOf(file) {
  const at = file.lastIndexOf('node_modules/');
  if (at < 0) return undefined;
  const [first, second] = file.slice(at + 'node_modules/'.length).split('/');
  return join(file.slice(0, at), 'node_modules', first, first.startsWith('@') ? second : '');
}

/** The name, version and licence texts of an installed package. Throws if it has no licence text. */
export function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)([.-]|$)/i.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled, but has no licence text`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

/** The notices of a package whose built code already contains that of other packages; empty for all others. */
function noticesBeside(file) {
  const [, folder] = /^(.*\/packages\/[^/]+\/dist)\//.exec(file) ?? [];
  const path = folder && join(folder, 'THIRD-PARTY-NOTICES');
  return path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split(noticeSeparator).slice(1) : [];
}

/** An esbuild plugin that writes THIRD-PARTY-NOTICES beside the output, if the output has code of installed packages. */
export function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    setup({ initialOptions, onEnd }) {
      onEnd(({ metafile }) => {
        if (metafile === undefined) return; // the build failed
        const { absWorkingDir = '', outdir } = initialOptions;
        const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
        const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => resolve(absWorkingDir, file));
        const folders = [...new Set(files.map(packageFolderOf))].filter((folder) => folder !== undefined);
        const notices = [...new Set([...folders.sort().map(noticeOf), ...files.flatMap(noticesBeside)])];
        if (notices.length === 0) return;
        const head = 'This package contains code of the following packages, under their licences.';
        mkdirSync(resolve(absWorkingDir, outdir), { recursive: true });
        writeFileSync(resolve(absWorkingDir, outdir, 'THIRD-PARTY-NOTICES'), `${[head, ...notices].join(noticeSeparator)}\n`);
      });
    },
  };
}
