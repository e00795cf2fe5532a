import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What found a mutant: tests of its package (which takes a test as found if it hangs), the committed vectors, or nothing. */
export type Finder = 'tests' | 'vectors' | 'nothing';

/** The outcome of one mutant. */
export interface Result {
  foundBy: Finder;
  /** The failed test, for example. */
  detail: string;
  /** When it ran, such as 2026-01-31. */
  date: string;
  /** The commit that it ran on. */
  commit: string;
}

/** Outcomes by the name of the mutant. */
export type Results = Readonly<Record<string, Result>>;

export const recordedResults = fileURLToPath(new URL('results.json', import.meta.url));

/** Empty if the file is missing. */
export function readResults(file: string): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Adds a result to the file, or replaces the mutant's previous one; the file remains sorted. */
export function recordResult(file: string, name: string, result: Result): void {
  const results = Object.entries({ ...readResults(file), [name]: result }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(results), undefined, 2)}\n`);
}
