import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** One recorded case. */
export interface Case {
  id: string;
  input: unknown;
  output: unknown;
}

/** Paths of the vector files below a folder, relative to it, sorted. */
export function vectorFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .sort();
}

/** The lines of a vector file, one case each. */
export function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

/** `lifecycle/get-phase.jsonl` and `lifecycle/get-phase.more.jsonl` are both about `get-phase`. */
export function subjectOf(file: string): string {
  return basename(file).split('.')[0] ?? '';
}
