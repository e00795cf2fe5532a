import { setFlagsFromString } from 'node:v8';
import { systemClock } from '@nodeagent/api';
import { consoleWithFlags } from './console.js';
import { exitProcess } from './exit-process.js';
import { main } from './main.js';
import type { V8Flags } from './v8-flags.js';

/** The start of a node takes a second; on a slow one, ten. */
const startMs = 10_000;

/** The process of the `nodeagent` command, from its arguments to its exit code; the V8 flags for its start are set. */
export async function runProcess({ atStart, later }: V8Flags): Promise<void> {
  const timer = systemClock.setTimeout(() => {
    for (const flag of later) setFlagsFromString(flag);
  }, startMs);
  const exitCode = await main(process.argv.slice(2), consoleWithFlags(atStart));
  timer.cancel();
  await exitProcess(exitCode);
}
