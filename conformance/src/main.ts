import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Adapter } from './adapter.js';
import { adapters } from './adapters/index.js';
import { type Difference, differences } from './compare.js';

const usage = `Replays recorded decisions of a kubelet on the packages.

usage: npm run conformance -- [options]

  --dir DIR         folder with *.jsonl files, searched recursively (default: the project's own set, conformance/vectors)
  --only GLOB       only files whose name (without .jsonl) matches, such as 'pleg-*'
  --show N          differences to print a file (default 3)
  --allow-missing   files without an adapter are listed and counted, but do not fail the run
  --help            this text

exit code: 0 all agree, 1 a case differs or a file has no adapter, 2 bad arguments`;

function badArgument(message: string): never {
  console.error(`conformance: ${message}\n\n${usage}`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        dir: { type: 'string', default: fileURLToPath(new URL('../vectors', import.meta.url)) },
        only: { type: 'string', default: '*' },
        show: { type: 'string', default: '3' },
        'allow-missing': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return badArgument((error as Error).message);
  }
}

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}
const show = Number(options.show);
if (!Number.isInteger(show) || show < 0) badArgument(`--show takes a number from 0 on, not "${options.show}"`);
if (!existsSync(options.dir) || !statSync(options.dir).isDirectory()) badArgument(`--dir: no such folder: ${options.dir}`);

/** `lifecycle/get-phase.visible.jsonl` -> `get-phase`. */
const subject = (file: string) => basename(file).split('.')[0] ?? '';
const matches = (file: string) => matchesGlob?.(subject(file), options.only) ?? options.only === '*';

const files = (readdirSync(options.dir, { recursive: true }) as string[]).filter((file) => file.endsWith('.jsonl') && matches(file)).sort();
if (files.length === 0) badArgument(`no *.jsonl file in ${options.dir} matches "${options.only}"`);

const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
let passed = 0;
let total = 0;
let missing = 0;
for (const file of files) {
  const lines = readFileSync(join(options.dir, file), 'utf8').split('\n').filter(Boolean);
  const adapter = byName.get(subject(file));
  if (adapter === undefined) {
    missing++;
    console.log(`${file.slice(0, -'.jsonl'.length)} not yet (${lines.length} cases)`);
    continue;
  }
  const failures: Failure[] = [];
  for (const line of lines) {
    const failure = await replay(adapter, line);
    if (failure) failures.push(failure);
  }
  passed += lines.length - failures.length;
  total += lines.length;
  console.log(`${file.slice(0, -'.jsonl'.length)} ${lines.length - failures.length}/${lines.length}`);
  for (const failure of failures.slice(0, show)) console.log(describe(failure));
}
console.log(`total ${passed}/${total}${missing > 0 ? `, ${missing} files not yet` : ''}`);
process.exit(passed < total || (missing > 0 && !options['allow-missing']) ? 1 : 0);

interface Failure {
  id: string;
  differences: Difference[];
}

async function replay(adapter: Adapter, line: string): Promise<Failure | undefined> {
  const { id, input, output } = JSON.parse(line) as { id: string; input: unknown; output: unknown };
  let actual: unknown;
  try {
    actual = await adapter.run(structuredClone(input));
  } catch (error) {
    return { id, differences: [{ path: '$', expected: output, actual: `threw ${(error as Error).stack ?? error}` }] };
  }
  const found = differences(output, actual, input, adapter.compare);
  return found.length > 0 ? { id, differences: found } : undefined;
}

function describe({ id, differences }: Failure): string {
  const text = (value: unknown) => (value === undefined ? '(absent)' : JSON.stringify(value)).slice(0, 600);
  const places = differences
    .slice(0, 5)
    .map(({ path, expected, actual }) => `    ${path}\n      expected ${text(expected)}\n      actual   ${text(actual)}`);
  const more = differences.length > 5 ? [`    and ${differences.length - 5} more places`] : [];
  return [`  ${id}`, ...places, ...more].join('\n');
}
