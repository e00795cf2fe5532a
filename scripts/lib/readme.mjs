import { blocksOf } from './blocks.mjs';
import { stepsOf } from './page-steps.mjs';

/** The first ```text block; undefined if there is none. */
export const outputOf = (markdown) => blocksOf(markdown).find(({ language }) => language === 'text')?.text;

/** The problem with the examples of a package's README; undefined if it begins with one that runs and shows what it prints. */
export function problemOf(markdown) {
  const [first] = programsOf(markdown);
  if (first === undefined) return 'README.md has no ```ts block';
  if (first.notRun !== undefined) return 'README.md must start with an example that runs';
  if (first.output === undefined) return 'README.md has no ```text block with the output of its first example';
  return undefined;
}

/** The ```ts programs of a page: `code` and `output`, undefined if the page shows none; `notRun` is the reason for those that do not run. */
export function programsOf(markdown) {
  return stepsOf(markdown).flatMap((step) => {
    if (step.kind === 'program') return [step];
    return step.kind === 'skip' && step.language === 'ts' ? [{ code: step.text, notRun: step.reason }] : [];
  });
}
