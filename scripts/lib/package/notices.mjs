import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noticeOf, noticeSeparator } from '../third-party-notices.mjs';

/** The packages whose code a package of this project has in its files, as THIRD-PARTY-NOTICES lists them. */
export function bundledPackages(folder) {
  return noticesIn(folder).map((notice) => {
    const [, name, version, license] = /^(\S+) (\S+) \((.+)\)\n/.exec(notice) ?? [];
    if (name === undefined) throw new Error(`${folder}: THIRD-PARTY-NOTICES has a notice without name, version and licence`);
    return { name, version, license };
  });
}

/** The licence of the project and of all third-party code: the `copyright` file of a Debian package. */
export function copyrightText({ installed, folders, license, homepage }) {
  const foreign = folders.filter((folder) => !folder.includes('/@nodeagent/')).map((folder) => noticeOf(join(installed, folder)));
  const bundled = folders.flatMap((folder) => noticesIn(join(installed, folder)));
  const notices = [...new Set([...foreign, ...bundled])].sort();
  const head = `nodeagent, ${homepage}\n\n${license.trim()}`;
  const others = 'nodeagent contains the following packages, under their licences.';
  return `${[head, others, ...notices].join(noticeSeparator)}\n`;
}

function noticesIn(folder) {
  const file = join(folder, 'dist', 'THIRD-PARTY-NOTICES');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split(noticeSeparator).slice(1) : [];
}
