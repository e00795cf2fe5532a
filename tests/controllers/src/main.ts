import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createHttpCluster } from './http-cluster.js';
import { knownDifferences } from './known-differences.js';
import type { Recording } from './record.js';
import { differences, readRecorded, recordedText, writeRecorded } from './recorded.js';
import { replay } from './replay.js';
import { runScenarios } from './run.js';
import { scenarios } from './scenarios.js';

const usage = `usage: npm run replay-controllers -- [options]
  --only PATTERN       scenarios whose names match a regular expression
Without further options it replays the scenarios on the test controllers, and compares with the recordings.
  --url URL --token T  runs the scenarios on the cluster of this API server
  --exclusive          those that need the cluster for themselves, instead of the others
  --out DIR            writes what happened to DIR/SCENARIO.json
  --write DIR[,...]    writes the recordings from such files of one or more runs
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    url: { type: 'string' },
    token: { type: 'string', default: '' },
    exclusive: { type: 'boolean', default: false },
    out: { type: 'string' },
    write: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const pattern = new RegExp(values.only);
const chosen = scenarios.filter(({ name }) => pattern.test(name));

if (values.help) process.stdout.write(usage);
else if (values.write) writeAll(values.write.split(','));
else if (values.url) await record(values.url);
else await compare();

function save(recording: Recording): void {
  process.stdout.write(`${recording.scenario}\n`);
  if (values.out) writeFileSync(`${values.out}/${recording.scenario}.json`, `${JSON.stringify(recording)}\n`);
}

async function record(url: string): Promise<void> {
  const cluster = createHttpCluster({ url, token: values.token });
  const some = chosen.filter(({ isExclusive = false }) => isExclusive === values.exclusive);
  await runScenarios(cluster, some, save, 200);
  cluster.close();
}

function writeAll(folders: readonly string[]): void {
  for (const { name } of chosen) {
    const runs = folders.map((folder) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as Recording);
    writeRecorded(name, recordedText(runs));
  }
}

async function compare(): Promise<void> {
  let failed = 0;
  for (const recording of await replay(chosen)) {
    const { scenario } = recording;
    if (values.out) writeFileSync(`${values.out}/${scenario}.json`, `${JSON.stringify(recording)}\n`);
    const found = differences(recording, readRecorded(scenario));
    const known = knownDifferences[scenario];
    if (found.length === 0 && !known) continue;
    if (found.length === 0 || !known) failed++;
    const result = found.length === 0 ? 'no longer differs: remove it from known-differences.ts' : `differs${known ? `: ${known}` : ''}`;
    process.stdout.write(`${[`${scenario}: ${result}`, ...(known ? [] : found)].join('\n')}\n`);
  }
  process.stdout.write(`${chosen.length - failed} of ${chosen.length} scenarios as recorded or known to differ\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}
