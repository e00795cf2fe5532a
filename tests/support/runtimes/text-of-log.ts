import { readFileSync } from 'node:fs';

/** The text that a container has written, from its log in the CRI format: what follows a partial line (tag P) belongs to it. */
export const textOfLog = (file: string): string =>
  readFileSync(file, 'utf8').replaceAll(/^\S+ \S+ ([PF]) (.*)\n/gm, (_, tag, text) => (tag === 'P' ? text : `${text}\n`));
