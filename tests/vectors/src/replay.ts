import { dirname, join } from 'node:path';
import type { Adapter } from './adapter.js';
import { type Difference, differences } from './compare.js';
import { type Case, readLines } from './vectors.js';

/** A case with a different output. */
export interface Failure {
  id: string;
  differences: Difference[];
}

/** Replays all cases of a file. */
export async function replayFile(adapter: Adapter, dir: string, file: string): Promise<{ total: number; failures: Failure[] }> {
  const path = join(dir, file);
  const lines = readLines(path);
  const failures: Failure[] = [];
  for (const line of lines) {
    const failure = await replayCase(adapter, JSON.parse(line), dirname(path));
    if (failure) failures.push(failure);
  }
  return { total: lines.length, failures };
}

/** Replays one case; resolves to its failure if the output differs. */
export async function replayCase(adapter: Adapter, { id, input, output }: Case, dir: string): Promise<Failure | undefined> {
  let actual: unknown;
  try {
    actual = await adapter.run(structuredClone(input), { dir });
  } catch (error) {
    return { id, differences: [{ path: '$', expected: output, actual: `threw ${error instanceof Error ? error.stack : error}` }] };
  }
  const found = differences(output, actual, input, adapter.compare);
  return found.length > 0 ? { id, differences: found } : undefined;
}

/** A failure as text: its id and the first places where it differs. */
export function describeFailure({ id, differences }: Failure): string {
  const text = (value: unknown) => (value === undefined ? '(absent)' : JSON.stringify(value)).slice(0, 600);
  const places = differences
    .slice(0, 5)
    .map(({ path, expected, actual }) => `    ${path}\n      expected ${text(expected)}\n      actual   ${text(actual)}`);
  const more = differences.length > 5 ? [`    and ${differences.length - 5} more places`] : [];
  return [`  ${id}`, ...places, ...more].join('\n');
}
