// readme-examples.mjs [NAME...]: runs the programs of every package's README and of the pages in docs/, and every program in examples/ (or the
// named ones, such as `eviction` or `docs/csi.md`), and compares what they print. The output of a program in examples/ is the first ```text
// block of the README.md beside it.
// An example is a ```ts block; the ```text block after it is its output, to the letter. Examples run on the sources, with no build before,
// and are type-checked as users would write them, also the few that are marked as not run.
// It exists because the tools that run code blocks of Markdown do not compare what a block prints with the block after it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from './lib/packages.mjs';
import { pages } from './lib/pages.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { outputOf, problemOf, programsOf } from './lib/readme.mjs';
import { setup } from './lib/setup.mjs';

const timeLimitMs = 300_000;
const folder = join(root, '.cache', 'readme-examples');

setup();
const wanted = process.argv.slice(2);
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name);
const all = packages();
const programs = readdirSync(join(root, 'examples'))
  .map((name) => ({ name, file: join(root, 'examples', name, 'main.ts'), readme: join(root, 'examples', name, 'README.md') }))
  .filter(({ file }) => existsSync(file));
const documents = pages().map((name) => ({ name, readme: join(root, name) }));
const unknown = wanted.filter((name) => ![...all, ...programs, ...documents].some((entry) => entry.name === name));
if (unknown.length > 0) {
  console.error(`readme-examples: no such package or example: ${unknown.join(', ')}`);
  process.exit(2);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const problems = [];
const examples = [];
const notRun = [];
for (const { name, dir } of all.filter(isWanted)) {
  const readme = join(dir, 'README.md');
  const problem = existsSync(readme) ? problemOf(readFileSync(readme, 'utf8')) : 'has no README.md';
  if (problem === undefined) addPrograms(`packages/${name}`, readme);
  else problems.push(`packages/${name} ${problem}`);
}
for (const { name, readme } of documents.filter(isWanted)) addPrograms(name, readme);
for (const { name, file, readme } of programs.filter(isWanted)) {
  const expected = existsSync(readme) ? outputOf(readFileSync(readme, 'utf8')) : undefined;
  if (expected === undefined) problems.push(`examples/${name} has no README.md with a \`\`\`text block of its output`);
  else examples.push({ name: `examples/${name}`, file, expected });
}

function addPrograms(name, page) {
  for (const [i, { code, output = '', notRun: reason }] of programsOf(readFileSync(page, 'utf8')).entries()) {
    const file = join(folder, `${name.replaceAll('/', '-')}-${i + 1}.ts`);
    writeFileSync(file, code);
    const example = { name: `${name}, example ${i + 1}`, file, expected: output };
    if (reason === undefined) examples.push(example);
    else notRun.push({ ...example, reason });
  }
}

async function checkTypes() {
  if (examples.length + notRun.length === 0) return;
  const config = join(folder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions: { incremental: false, tsBuildInfoFile: null }, include: ['*.ts'] }),
  );
  const { status, stdout } = await capture(process.execPath, [
    join(root, 'node_modules/typescript-native/bin/tsc'),
    '--noEmit',
    '--pretty',
    'false',
    '-p',
    config,
  ]);
  if (status !== 0) problems.push(`types:\n${stdout.trimEnd()}`);
}

async function runExample({ name, file, expected }) {
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  const started = Date.now();
  const { status, stdout, stderr } = await capture(process.execPath, [tsx, '--tsconfig', join(root, 'tsconfig.json'), file], {
    timeoutMs: timeLimitMs,
  });
  if (status === null) problems.push(`${name}: the example did not end within ${timeLimitMs / 1_000} s`);
  else if (status !== 0) problems.push(`${name}: the example ended with ${status}\n${stderr.trimEnd()}`);
  else if (stdout.trimEnd() !== expected.trimEnd())
    problems.push(`${name}: the example prints\n${stdout.trimEnd()}\nbut its README has\n${expected.trimEnd()}`);
  else console.log(`${name} ok (${Date.now() - started} ms)`);
}

await Promise.all([checkTypes(), mapParallel(examples, 2, runExample)]);
for (const problem of problems) console.error(`readme-examples: ${problem}`);
for (const { name, reason } of notRun) console.log(`${name} is not run: ${reason}`);
console.log(`${examples.length} examples, ${notRun.length} not run, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
