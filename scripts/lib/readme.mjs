const fence = /(?:^<!-- not run: ([^\n]*?) -->\n+)?^```(\w*)\n([\s\S]*?)^```$/gm;

const blocksOf = (markdown) =>
  [...markdown.matchAll(fence)].map(([, notRun, language, text]) => ({ language, text, ...(notRun === undefined ? {} : { notRun }) }));

/** The first ```text block; undefined if there is none. */
export const outputOf = (markdown) => blocksOf(markdown).find(({ language }) => language === 'text')?.text;

/**
 * The examples of a README, or the `problem` with them. Each ```ts block is a program of its own: `code`, and `output`, the first ```text
 * block before the next program; without one it prints nothing. `notRun` is the reason in a mark above the block, `<!-- not run: REASON -->`.
 */
export function examplesOf(markdown) {
  const examples = [];
  for (const { language, text, notRun } of blocksOf(markdown)) {
    const last = examples.at(-1);
    if (language === 'ts') examples.push({ code: text, output: undefined, notRun });
    else if (language === 'text' && last !== undefined) last.output ??= text;
  }
  if (examples.length === 0) return { problem: 'README.md has no ```ts block' };
  if (examples[0].notRun !== undefined) return { problem: 'README.md must start with an example that runs' };
  if (examples[0].output === undefined) return { problem: 'README.md has no ```text block with the output of its first example' };
  return { examples: examples.map(({ code, output = '', notRun }) => ({ code, output, notRun })) };
}

/** The packages that the `npm install` commands of a README install. */
export function installedBy(markdown) {
  const commands = blocksOf(markdown).flatMap(({ text }) => text.split('\n').filter((line) => /^(\$ )?npm install /.test(line)));
  return [...new Set(commands.flatMap((line) => line.split(/\s+/).filter((word) => word.startsWith('@nodeagent/'))))];
}
