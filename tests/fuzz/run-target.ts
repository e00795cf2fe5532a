import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { FuzzCase } from './cases.js';
import type { Json } from './generate/json.js';
import type { Edges } from './guided/edges.js';
import { promise } from './promises.js';
import type { FuzzTarget } from './target.js';

/** Which inputs a target gets, and how many. */
export interface Amount {
  cases: readonly FuzzCase[];
  seed: number;
  runs: number | undefined;
  seconds: number | undefined;
}

/** An input that breaks the promise. */
export interface Finding {
  input: Json;
  /** The message and the first lines of the stack. */
  error: string;
  /** The kept case that failed; absent if the input is new. */
  keptCase?: string;
  /** Where fast-check found it, with the seed. */
  path?: string;
}

export interface TargetResult {
  target: string;
  cases: number;
  runs: number;
  cpuMs: number;
  findings: Finding[];
  /** Number of places of the code that the inputs reached, if they are counted. */
  edges?: number;
  /** Number of inputs that guided fuzzing kept. */
  corpus?: number;
}

/** CPU time that one input may take, in milliseconds: texts of 64 KiB are parsed within a tenth of it. */
const maxInputCpuMs = 2_000;
/** Memory of the process; it has a heap of 512 MiB, and buffers beside it. */
const maxResidentBytes = 1_536 * 1_024 * 1_024;

/** Errors that no caller receives: they would end the agent. */
const stray: unknown[] = [];

/** Records errors that would end the process. Returns the function that removes the listeners. */
export function watchStrayErrors(): () => void {
  const record = (error: unknown) => void stray.push(error);
  process.on('unhandledRejection', record).on('uncaughtException', record);
  return () => void process.off('unhandledRejection', record).off('uncaughtException', record);
}

/** Replays the cases, then checks random inputs until one fails. `before` is called with each input. */
export async function runTarget(
  target: FuzzTarget,
  { cases, seed, runs, seconds }: Amount,
  before: (input: Json) => void = () => {},
  edges?: Edges,
): Promise<TargetResult> {
  const started = process.cpuUsage();
  const findings: Finding[] = [];
  const check = async (input: Json) => {
    before(input);
    edges?.reset();
    await checkBounded(target, input);
    edges?.collect();
  };
  const replayed = await replay(cases, (input) => check(input).then(undefined, (error: unknown) => error), findings);
  const details = await fc.check(
    fc.asyncProperty(target.inputs, check),
    seconds === undefined
      ? { seed, numRuns: runs ?? target.runs }
      : { seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1_000 },
  );
  if (details.counterexample !== null) {
    const [input] = details.counterexample;
    findings.push({ input, error: describe(details.errorInstance), path: details.counterexamplePath ?? '' });
  }
  return {
    ...{ target: target.name, cases: replayed, runs: details.numRuns, cpuMs: cpuSince(started), findings },
    ...(edges && { edges: edges.reached }),
  };
}

/** Adds a finding for each case that fails. Resolves to the number of cases. */
export async function replay(
  cases: readonly FuzzCase[],
  failureOf: (input: Json) => Promise<unknown>,
  findings: Finding[],
): Promise<number> {
  for (const { name, input } of cases) {
    const error = await failureOf(input);
    if (error !== undefined) findings.push({ input, error: describe(error), keptCase: name });
  }
  return cases.length;
}

/** CPU time of the process in milliseconds. */
export function cpuSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** Checks one input, its CPU time and the memory of the process, and waits for errors that no caller receives. */
export async function checkBounded(target: FuzzTarget, input: Json): Promise<void> {
  const started = process.cpuUsage();
  await target.check(input);
  await setImmediate();
  if (stray.length > 0) throw new Error('an error that no caller receives', { cause: stray.splice(0)[0] });
  const cpuMs = cpuSince(started);
  promise(cpuMs < maxInputCpuMs, `the input takes ${cpuMs.toFixed(0)} ms of CPU`);
  const resident = process.memoryUsage.rss();
  promise(resident < maxResidentBytes, `the process uses ${(resident / 1_048_576).toFixed(0)} MiB`);
}

/** The message and the first lines of the stack, and of each cause. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\n  cause: ${describe(error.cause)}`;
  return (error.stack ?? error.message).split('\n').slice(0, 8).join('\n') + cause;
}
