import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { errorHint, errorMessage, systemClock } from '@nodeagent/api';
import { replay } from '../explore.js';
import { type Flags, parseFlags, usage } from './flags.js';
import { type JobOutcome, runJob } from './job.js';
import { type RunElsewhere, runJobs } from './jobs.js';
import { loadScenario } from './load-scenario.js';

/** What the command writes to, and how it starts processes. */
export interface CommandPorts {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person watches the progress. */
  isTerminal: boolean;
  version: string;
  runElsewhere: RunElsewhere;
}

/** Runs the command `explore`. Resolves to its exit code: 0, 1 if it finds a failure or fails itself, 2 for wrong arguments. */
export async function runCommand(args: readonly string[], ports: CommandPorts): Promise<number> {
  const { out, err, version } = ports;
  let flags: ReturnType<typeof parseFlags>;
  try {
    flags = parseFlags(args);
  } catch (error) {
    err(`explore: ${errorMessage(error)}\n\n${usage}`);
    return 2;
  }
  if (typeof flags === 'string') {
    out(flags === 'help' ? usage : `explore ${version}\n`);
    return 0;
  }
  try {
    return flags.replay === undefined ? await search(flags, ports) : await repeat(flags, flags.replay, ports);
  } catch (error) {
    const hint = errorHint(error);
    err(`explore: ${errorMessage(error)}${hint ? `: ${hint}` : ''}\n`);
    return 1;
  }
}

async function search(flags: Flags, ports: CommandPorts): Promise<number> {
  const { scenario, jobs, schedules, seed, timeLimitMs, testFile } = flags;
  const loaded = await loadScenario(scenario);
  const startedAt = systemClock.monotonic();
  const limits = { schedules, ...(seed !== undefined && { seed }), ...(timeLimitMs !== undefined && { timeLimitMs }) };
  const progress = progressOf(schedules, ports);
  const processes = Math.min(jobs, schedules);
  const outcome = processes === 1 ? await runJob(loaded, limits, progress) : await runJobs(processes, limits, ports.runElsewhere, progress);
  ports.err(`${ports.isTerminal ? '\r' : ''}${summary(outcome, systemClock.monotonic() - startedAt)}\n`);
  if (outcome.failure === undefined) return 0;
  writeFileSync(testFile, outcome.failure.test.replace("'./scenario.js'", `'./${basename(scenario)}'`));
  ports.out(`${outcome.failure.text}\n`);
  ports.err(`a test that repeats it: ${testFile}\n`);
  return 1;
}

async function repeat({ scenario, seed }: Flags, schedule: string, { out }: CommandPorts): Promise<number> {
  const { setup, options } = await loadScenario(scenario);
  const { run, broken } = await replay(setup, { ...options, ...(seed !== undefined && { seed }) }, schedule);
  out(`${[...run.timeline, ...broken.map(({ invariant, message }) => `broken: ${invariant}: ${message}`)].join('\n')}\n`);
  return broken.length === 0 ? 0 : 1;
}

function summary({ schedules, isExhausted, failure }: JobOutcome, elapsedMs: number): string {
  const end = failure ? 'one breaks an invariant' : isExhausted ? 'no other one can differ' : 'all keep the invariants';
  return `${schedules} schedules in ${(elapsedMs / 1_000).toFixed(1)} s: ${end}`;
}

/** Writes the progress: one line that changes for a person, a line for each tenth otherwise. */
function progressOf(schedules: number, { err, isTerminal }: CommandPorts): (done: number) => void {
  let tenths = 0;
  return (done) => {
    if (isTerminal) return err(`\r${done} of ${schedules} schedules`);
    const now = Math.floor((done * 10) / schedules);
    if (now > tenths && now < 10) err(`${done} of ${schedules} schedules\n`);
    tenths = now;
  };
}
