import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** Replaces relative links that leave docs/ by links to the repository. Links inside of docs/ to a folder become links to its index. */
export function repositoryLinks(markdown: MarkdownRenderer, repositoryUrlOf: (path: string) => string): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href === null || /^([a-z]+:|\/|#)/i.test(href)) continue;
        const [path = '', fragment] = href.split('#');
        const target = posix.join('docs', posix.dirname(env.relativePath), decodeURI(path));
        if (!target.startsWith('docs/')) token.attrSet('href', repositoryUrlOf(target) + (fragment === undefined ? '' : `#${fragment}`));
        else if (posix.basename(target) === 'README.md') token.attrSet('href', href.replace('README.md', 'index.md'));
        else if (posix.extname(target) === '' && !path.endsWith('/')) token.attrSet('href', `${path}/`);
      }
  });
}
