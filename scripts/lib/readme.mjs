const blocksOf = (markdown) => [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language, text }));

/** The first ```text block; undefined if there is none. */
export const outputOf = (markdown) => blocksOf(markdown).find(({ language }) => language === 'text')?.text;

/** The example of a README and what it prints, or the `problem` with it. */
export function exampleOf(markdown) {
  const blocks = blocksOf(markdown);
  const at = blocks.findIndex(({ language }) => language === 'ts');
  if (at < 0) return { problem: 'README.md has no ```ts block' };
  const output = blocks.slice(at + 1).find(({ language }) => language === 'text');
  if (output === undefined) return { problem: 'README.md has no ```text block with the output of its example' };
  return { code: blocks[at].text, output: output.text };
}
