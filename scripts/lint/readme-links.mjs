// readme-links.mjs [--write]: links of packages/*/README.md must be absolute, as npmjs.com shows these pages without the repository
// around them. Links into this repository must point to a file, folder or heading that exists on disk. --write makes relative links absolute.
// It exists because link checkers take the web's word for it, where what is linked may not be published yet.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../lib/pnpm.mjs';
import { repositoryUrl, webAddressOf } from '../lib/repository.mjs';

const link = /\]\(([^()\s]+)\)/g;
const isRelative = (target) => !/^([a-z]+:|#|\/\/)/.test(target);

/** The text of a page in `folder` with absolute links. */
export const withAbsoluteLinks = (folder, text) =>
  text.replace(link, (whole, target) => {
    if (!isRelative(target)) return whole;
    const [path, anchor] = target.split('#');
    return `](${webAddressOf(posix.join(folder, path))}${anchor === undefined ? '' : `#${anchor}`})`;
  });

/** The problems of one page, as `path:line: text`. */
export function readmeLinkProblems(path, text, exists = isInRepository) {
  return text.split('\n').flatMap((line, i) =>
    [...line.matchAll(link)].flatMap(([, target]) => {
      const problem = problemOf(target, exists);
      return problem === undefined ? [] : [`${path}:${i + 1}: ${problem}`];
    }),
  );
}

function problemOf(target, exists) {
  if (isRelative(target)) return `the link ${target} is relative; run node scripts/lint/readme-links.mjs --write`;
  if (!target.startsWith(`${repositoryUrl}/`)) return undefined;
  const [, path, anchor] = /^\/(?:tree|blob)\/main\/([^#]*)(?:#(.*))?$/.exec(target.slice(repositoryUrl.length)) ?? [];
  if (path === undefined) return undefined;
  if (!exists(path)) return `${target} links to ${path}, which does not exist`;
  if (target !== `${webAddressOf(path)}${anchor === undefined ? '' : `#${anchor}`}`) return `${target} must be ${webAddressOf(path)}`;
  if (anchor !== undefined && !hasHeading(path, anchor)) return `${target} links to a heading that ${path} does not have`;
  return undefined;
}

const statOf = (path) => statSync(join(root, path), { throwIfNoEntry: false });
const isInRepository = (path) => statOf(path) !== undefined;

/** True if the page, or the README.md of a folder, has the heading. GitHub makes an anchor of a heading's words. Other files have lines. */
function hasHeading(path, anchor) {
  const page = statOf(path)?.isDirectory() ? posix.join(path, 'README.md') : path;
  if (!page.endsWith('.md')) return true;
  const headings = readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm);
  const anchorOf = (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
  return [...headings].some(([, heading]) => anchorOf(heading) === anchor);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = readdirSync(join(root, 'packages')).flatMap((name) => {
    const path = `packages/${name}/README.md`;
    if (!isInRepository(path)) return [];
    const text = readFileSync(join(root, path), 'utf8');
    const absolute = process.argv.includes('--write') ? withAbsoluteLinks(posix.dirname(path), text) : text;
    if (absolute !== text) writeFileSync(join(root, path), absolute);
    return readmeLinkProblems(path, absolute);
  });
  for (const problem of problems) console.error(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}
