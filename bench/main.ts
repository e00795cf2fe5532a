import { readdirSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Runs the benchmarks: every function benchX(report) that a file beside this one exports.

usage: npm run bench [-- --only NAME]

  --only NAME   one file, by its name without .ts, such as pleg`;

/** A benchmark reports one line a case: what was measured, a colon, a number and its unit. */
type Bench = (report: (line: string) => void) => Promise<void>;

function isBench(entry: [name: string, value: unknown]): entry is [string, Bench] {
  return /^bench[A-Z]/.test(entry[0]) && typeof entry[1] === 'function';
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();

function chooseNames(): string[] {
  try {
    const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
    if (only === undefined) return names;
    if (!names.includes(only)) throw new Error(`no benchmark "${only}"; there are ${names.join(', ')}`);
    return [only];
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

const chosen = chooseNames();
const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(
  `machine: ${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, ${memory}, Node ${process.version}, ${process.platform}`,
);
console.log(`date: ${new Date().toISOString().slice(0, 10)}`);
for (const name of chosen) {
  const module: object = await import(pathToFileURL(`${folder}${name}.ts`).href);
  for (const [, bench] of Object.entries(module).filter(isBench)) await bench((line) => console.log(line));
}
