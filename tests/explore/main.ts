/**
 * Long searches of the controllers of examples/explore-controller, in parts; each finished part is a line of a file.
 *
 *     npm run explore:long -- NAME[,NAME] SCHEDULES PARTS [FIRST..LAST]
 *     npm run explore:long -- record
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { explore, type SearchOptions } from '@nodeagent/explore';
import { options as batchOptions, setup as batchSetup } from '../../examples/explore-controller/batch-scenario.js';
import { examples } from '../../examples/explore-controller/examples.js';
import { exploreOptions, setup } from '../../examples/explore-controller/site-controller.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';
import { type Part, partsTable } from './parts-table.js';

/** Where the finished parts are. */
const file = process.env.EXPLORE_PARTS ?? 'explore-parts.jsonl';
const [names = '', ...numbers] = process.argv.slice(2);
const parts = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Part)
  : [];

if (names === 'record') recordRun('explore:long', partsTable(parts));
else for (const name of names === 'all' ? Object.keys(examples) : names.split(',')) await search(name, numbers);

async function search(name: string, [schedules = '1000', count = '10', range = `1..${count}`]: string[]): Promise<void> {
  const [first = 1, last = first] = range.split('..').map(Number);
  for (let index = first; index <= last; index++) {
    const ran = parts.find((part) => part.name === name && part.index === index && part.count === Number(count));
    if (ran) continue;
    const share = { index: index - 1, count: Number(count) };
    const { failure, ...outcome } = await explore(...scenarioOf(name, { schedules: Number(schedules), share }));
    const rssMiB = Math.round(process.memoryUsage.rss() / 2 ** 20);
    const part: Part = { name, index, count: share.count, ...outcome, ...runFacts(), rssMiB, ...(failure && { failure: failure.text }) };
    appendFileSync(file, `${JSON.stringify(part)}\n`);
    console.log(`${name} ${index}/${count}: ${outcome.schedules} schedules in ${Math.round(outcome.elapsedMs / 1_000)} s, ${rssMiB} MiB`);
    if (failure) console.log(failure.text);
  }
}

/** The mended version of an example, or the batch controller. */
function scenarioOf(name: string, limits: SearchOptions): Parameters<typeof explore> {
  if (name === 'batch') return [batchSetup, { ...batchOptions, ...limits }];
  const example = examples[name];
  if (example === undefined) throw new Error(`no example is named ${name}: ${['batch', ...Object.keys(examples)].join(', ')}`);
  return [setup, { ...exploreOptions(example, example.mended), ...limits }];
}
