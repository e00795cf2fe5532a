import type { MarkdownRenderer } from 'vitepress';

/**
 * Shows above a block whose info string names a file, such as ```ts examples/custom-parts/main.ts, a link to that file of the repository; above
 * a file that the reader creates, such as ```yaml pods/web.yaml, its name.
 */
export function showQuotedFile(markdown: MarkdownRenderer, repositoryUrlOf: (path: string) => string): void {
  const fence = markdown.renderer.rules.fence;
  if (fence === undefined) throw new Error('markdown-it has no rule for fences');
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const block = fence(tokens, index, ...rest);
    const [, file] = /^\w+ ([\w./#-]+)$/.exec(tokens[index]?.info.trim() ?? '') ?? [];
    if (file === undefined) return block;
    const [path = ''] = file.split('#');
    const isQuoted = /^(examples|packages)\//.test(path);
    const title = isQuoted ? `<a href="${repositoryUrlOf(path)}" target="_blank" rel="noreferrer">${path}</a>` : path;
    return `<p class="quoted-file">${title}</p>${block}`;
  };
}
