import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordRun, runFacts } from '../support/reliability-runs.js';
import { allRuns, type FailingRun, runFailing } from './failing-calls.js';
import { type RecordedRates, type RunSummary, ratesOf, ratesTable, summaryOf } from './failing-calls-table.js';

const usage = `simulate:failing-calls [--complete] [--only TEXT] [--every N] [--jobs N] [--record | --table]

Each call of the agent fails for ten virtual minutes of each phase of pods.

  --complete  with each way of failing, and with container events on and off, instead of these in turn
  --only      only runs whose phase and call contain the text: 'resize cri containerStats'
  --every     only each Nth of these runs; odd, because every second one has container events. Default 1
  --jobs      processes. Default 2
  --record    records the rates in failing-calls.json and docs/reliability-runs.md
  --table     prints the recorded rates without a run, as Markdown
`;

const recordedFile = fileURLToPath(new URL('failing-calls.json', import.meta.url));
/** Which of the processes this is; absent in the first one. */
const share = process.env.FAILING_CALLS_SHARE;

const { values } = parseArgs({
  options: {
    complete: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [every, jobs] = [Number(values.every), Number(values.jobs)];

if (!(Number.isInteger(jobs) && jobs > 0)) {
  console.error(`simulate:failing-calls: --jobs: must be a positive number, not ${values.jobs}\n\n${usage}`);
  process.exitCode = 2;
} else if (!(Number.isInteger(every) && every % 2 === 1)) {
  console.error(`simulate:failing-calls: --every: must be an odd number, not ${values.every}\n\n${usage}`);
  process.exitCode = 2;
} else if (values.help) console.log(usage.trimEnd());
else if (values.table) console.log(ratesTable(JSON.parse(readFileSync(recordedFile, 'utf8')) as RecordedRates));
else if (share !== undefined) await runShare(Number(share), (summary) => process.send?.(summary));
else process.exitCode = await runAll();

function textOf({ phase, failing }: Pick<FailingRun, 'phase' | 'failing'>): string {
  return `${phase} ${failing?.call}`;
}

async function runShare(index: number, report: (summary: RunSummary) => void): Promise<void> {
  const wanted = (await allRuns(values.complete)).filter((run) => textOf(run).includes(values.only));
  const chosen = wanted.filter((_, at) => at % every === 0);
  for (const [at, run] of chosen.entries()) if (at % jobs === index) report(summaryOf(await runFailing(run)));
}

async function runAll(): Promise<number> {
  const summaries: RunSummary[] = [];
  const report = (summary: RunSummary) => {
    summaries.push(summary);
    const { evented, failing, problems } = summary;
    for (const problem of problems.slice(0, 3)) {
      console.log(`${textOf(summary)} (${failing?.kind}, container events ${evented}): ${problem}`);
    }
  };
  if (jobs === 1) await runShare(0, report);
  else await Promise.all(Array.from({ length: jobs }, (_, index) => runChild(index, report)));
  const good = summaries.filter(({ problems }) => problems.length === 0);
  if (values.record) record(summaries);
  const slowest = Math.max(0, ...summaries.map(({ healedAfterSeconds }) => healedAfterSeconds));
  console.log(`all is as it should be within ${slowest} s of the last failure`);
  console.log(`${good.length}/${summaries.length} runs in which a failing call was never repeated faster than its back-off allows`);
  return summaries.length === 0 || good.length < summaries.length ? 1 : 0;
}

function record(summaries: readonly RunSummary[]): void {
  const rates: RecordedRates = { ...runFacts(), rates: ratesOf(summaries) };
  writeFileSync(recordedFile, `${JSON.stringify(rates, undefined, 2)}\n`);
  recordRun('simulate:failing-calls', ratesTable(rates));
}

async function runChild(index: number, report: (summary: RunSummary) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env: { ...process.env, FAILING_CALLS_SHARE: `${index}` } });
  child.on('message', (summary) => report(summary as RunSummary));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`process ${index} exited with ${code}`);
}
