import { dirname, join } from 'node:path';
import type { Adapter } from './adapter.js';
import { type Difference, differences, requiredMasks } from './compare.js';
import type { Mask } from './mask.js';
import { type Case, readLines } from './vectors.js';

/** A case with a different output. */
export interface Failure {
  id: string;
  differences: Difference[];
}

/** What came of the cases of a file. */
export interface FileResult {
  total: number;
  failures: Failure[];
  /** The number of cases that agree only because of a mask, for each mask that is required. */
  masked: Map<Mask, number>;
}

/** Replays all cases of a file. */
export async function replayFile(adapter: Adapter, dir: string, file: string): Promise<FileResult> {
  const path = join(dir, file);
  const lines = readLines(path);
  const result: FileResult = { total: lines.length, failures: [], masked: new Map() };
  for (const line of lines) {
    const recorded: Case = JSON.parse(line);
    const answer = await answerOf(adapter, recorded, dirname(path));
    const failure = failureOf(adapter, recorded, answer);
    if (failure) result.failures.push(failure);
    else if ('output' in answer) {
      for (const mask of requiredMasks(recorded.output, answer.output, recorded.input, adapter.compare)) {
        result.masked.set(mask, (result.masked.get(mask) ?? 0) + 1);
      }
    }
  }
  return result;
}

/** Replays one case; resolves to its failure if the output differs. */
export async function replayCase(adapter: Adapter, recorded: Case, dir: string): Promise<Failure | undefined> {
  return failureOf(adapter, recorded, await answerOf(adapter, recorded, dir));
}

type Answer = { output: unknown } | { error: unknown };

function answerOf(adapter: Adapter, { input }: Case, dir: string): Promise<Answer> {
  const run = async () => adapter.run(structuredClone(input), { dir });
  return run().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
}

function failureOf(adapter: Adapter, { id, input, output }: Case, answer: Answer): Failure | undefined {
  if ('error' in answer) {
    const { error } = answer;
    return { id, differences: [{ path: '$', expected: output, actual: `threw ${error instanceof Error ? error.stack : error}` }] };
  }
  const found = differences(output, answer.output, input, adapter.compare);
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
