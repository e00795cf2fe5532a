import type { MarkdownRenderer } from 'vitepress';

/** Lets long names in inline code, such as metrics and error codes, break after `_`, `.` and `/` and before a capital, so that tables fit. */
export function breakLongNames(markdown: MarkdownRenderer): void {
  const inline = markdown.renderer.rules.code_inline;
  if (inline === undefined) throw new Error('markdown-it has no rule for inline code');
  markdown.renderer.rules.code_inline = (...args) =>
    inline(...args).replace(
      />([^<]{16,})</,
      (_, name: string) => `>${name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=\w[_./])(?=\w)/g, '<wbr>')}<`,
    );
}
