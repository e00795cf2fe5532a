#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { errorMessage } from '@nodeagent/api';
import { parseFlags } from './command/flags.js';
import { type JobLimits, runJob } from './command/job.js';
import { loadScenario } from './command/load-scenario.js';
import { runCommand } from './command/run-command.js';
import { type JobMessage, jobVariable, runElsewhereWith } from './command/run-elsewhere.js';

const args = process.argv.slice(2);
const job = process.env[jobVariable];

if (job !== undefined) await runSentJob(JSON.parse(job) as JobLimits);
else {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  process.exitCode = await runCommand(args, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    version,
    runElsewhere: runElsewhereWith(process.argv[1] ?? '', args),
  });
}
// A scenario may have left timers or sockets.
process.exit();

async function runSentJob(limits: JobLimits): Promise<void> {
  const send = (message: JobMessage) => new Promise<void>((resolve) => process.send?.(message, () => resolve()));
  try {
    const flags = parseFlags(args);
    if (typeof flags === 'string') return;
    const outcome = await runJob(await loadScenario(flags.scenario), limits, (schedules) => void send({ schedules }));
    await send({ outcome });
  } catch (error) {
    await send({ error: errorMessage(error) });
  }
}
