import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';

const escapes: Record<string, string> = { '&': '&#x26;', '<': '&#x3C;' };

/** A page for the search index, which keeps no colours: without those of code, which take most of the time of rendering. */
export function renderForSearch(source: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  markdown.options.highlight = (code) => `<pre>${code.replace(/[&<]/g, (character) => escapes[character] ?? character)}</pre>`;
  return markdown.render(source, env);
}
