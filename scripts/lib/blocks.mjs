const block =
  /(?:^ *<!-- (?<mark>not run|not compared|background): (?<reason>[^\n]*?) -->\n+)?^(?<indent> *)```(?<language>\w*)(?: (?<file>\S+))?\n(?<text>[\s\S]*?)^\k<indent>```$/gm;
const marks = { 'not run': 'notRun', 'not compared': 'notCompared', background: 'background' };

/**
 * The fenced code blocks of a Markdown text, also those in lists: `language` and `text`, `file`, the path behind the language
 * (```ts examples/FILE), and the mark above it: `notRun` or `notCompared` with the reason, or `background` with what the command prints once it
 * is ready.
 */
export function blocksOf(markdown) {
  return [...markdown.matchAll(block)].map(({ groups: { mark, reason, indent, language, file, text } }) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ...(file === undefined ? {} : { file }),
    ...(mark === undefined ? {} : { [marks[mark]]: reason }),
  }));
}
