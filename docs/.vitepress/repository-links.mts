import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { repositoryUrl, webAddressOf } from '../../scripts/lib/repository.mjs';

/**
 * Links between files of the repository, relative or to its web address, lead to the page of the site that shows the file, or else to the
 * repository. Links to a folder of docs/ become links to its index.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null) token.attrSet('href', siteLink(href, env.relativePath));
      }
  });
}

function siteLink(href: string, page: string): string {
  const [path = '', fragment] = href.split('#');
  const target = targetOf(path, sourceOf(page));
  if (target === undefined) return href;
  const file = pageOf(target);
  if (file === undefined && path.startsWith(repositoryUrl)) return href;
  const address = file === undefined ? webAddressOf(target) : posix.relative(posix.join('docs', posix.dirname(page)), file);
  return fragment === undefined ? address : `${address}#${fragment}`;
}

/** The file of the repository that a page shows: docs/packages has copies of the packages' READMEs. */
const sourceOf = (page: string) => posix.join('docs', page.replace(/^packages\/(.*)\.md$/, '../packages/$1/README.md'));

/** The path in the repository that a link leads to; undefined for an anchor, an address of the site and other hosts. */
function targetOf(path: string, source: string): string | undefined {
  const [, address] = path.startsWith(`${repositoryUrl}/`) ? (/\/(?:blob|tree)\/main\/(.*)$/.exec(path) ?? []) : [];
  if (address !== undefined) return posix.join(address);
  if (path === '' || /^([a-z]+:|\/)/i.test(path)) return undefined;
  return posix.join(posix.dirname(source), decodeURI(path));
}

/** The file in docs/ of the page that shows a file or folder of the repository, such as a README; undefined if the site has none. */
function pageOf(target: string): string | undefined {
  const [, name] = /^packages\/([\w-]+)(?:\/(?:README\.md)?)?$/.exec(target) ?? [];
  if (name !== undefined) return `docs/packages/${name}.md`;
  if (!target.startsWith('docs/')) return undefined;
  if (posix.basename(target) === 'README.md') return target.replace('README.md', 'index.md');
  return posix.extname(target) === '' ? posix.join(target, 'index.md') : target;
}
