import type { TerminalLine } from './terminal-buffer.js';
import { styleClasses } from './terminal-style.js';

/** Cells of a line with the same style, as CSS classes. */
export interface TerminalRun {
  text: string;
  classes: string;
}

/** The runs of a line; with a cursor, the cell there is a run with the class `cursor`. */
export function terminalRuns({ characters, styles }: TerminalLine, cursor?: number): TerminalRun[] {
  const runs: TerminalRun[] = [];
  const length = Math.max(characters.length, cursor === undefined ? 0 : cursor + 1);
  for (let at = 0; at < length; at += 1) {
    const styled = styleClasses(styles[at] ?? 0);
    const classes = at === cursor ? `cursor ${styled}`.trim() : styled;
    const last = runs.at(-1);
    if (last !== undefined && last.classes === classes && at !== cursor) last.text += characters[at] ?? ' ';
    else runs.push({ text: characters[at] ?? ' ', classes });
  }
  return runs;
}
