import type { MarkdownRenderer } from 'vitepress';

/** Shows above a block whose info string names a file, such as ```ts examples/custom-parts/main.ts, a link to that file. */
export function showQuotedFile(markdown: MarkdownRenderer, repositoryUrlOf: (path: string) => string): void {
  const fence = markdown.renderer.rules.fence;
  if (fence === undefined) throw new Error('markdown-it has no rule for fences');
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const block = fence(tokens, index, ...rest);
    const [, quoted] = /^ts ((?:examples|packages)\/\S+)/.exec(tokens[index]?.info ?? '') ?? [];
    if (quoted === undefined) return block;
    const [path = ''] = quoted.split('#');
    return `<p class="quoted-file"><a href="${repositoryUrlOf(path)}" target="_blank" rel="noreferrer">${path}</a></p>${block}`;
  };
}
