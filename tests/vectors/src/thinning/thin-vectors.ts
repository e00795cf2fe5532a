import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { matchesPattern } from '../../../support/glob.js';
import { adapters } from '../adapters/index.js';
import { readLines, subjectOf, vectorFiles } from '../vectors.js';
import { chooseCases, fillUp } from './choose-cases.js';
import { countKilled, type Measured, measureSubject } from './measure-subject.js';
import type { Mutant } from './mutant.js';
import { createMutantRunner, type MutantRunner } from './mutant-runner.js';
import { buildMutatedBundle } from './mutated-bundle.js';
import { describeSubject, reportOf, type Subject, survivorLines, totalLines } from './report.js';
import { spreadCases } from './spread-cases.js';
import { writeThinned } from './write-thinned.js';

const usage = `Creates the project's set of vectors from a full one: of each file the fewest bytes of cases that still kill
every mutant of the packages that the full file kills. Takes some 10 minutes of processor time and replaces the set at the end.

usage: npm run conformance:thin -- --from DIR [options]

  --from DIR         folder with the full set, *.jsonl files and their companions
  --to DIR           what is replaced (default: tests/vectors/recorded)
  --only PATTERN     only files whose name (without .jsonl) matches; the others stay as they are
  --mutants N        mutants tried a file, chosen by the seed where it reaches more (default 200)
  --seed TEXT        (default 1)
  --jobs N           processes at a time (default 1)
  --survivors FILE   write each mutant that no case of the full set kills, one a line
  --help             this text

exit code: 0 done, 1 failed, 2 bad arguments`;

/** The output of a run. */
export interface Output {
  log(line: string): void;
  error(line: string): void;
}

export interface ThinSettings {
  from: string;
  to: string;
  only: string;
  maxMutants: number;
  seed: string;
  jobs: number;
  survivors?: string;
}

/** Thins vectors by the command line; resolves to the exit code. */
export async function thinVectors(args: string[], output: Output = console): Promise<0 | 1 | 2> {
  let settings: ThinSettings | 'help';
  let files: string[] = [];
  try {
    settings = readSettings(args);
    if (settings !== 'help') files = chooseFiles(settings);
  } catch (error) {
    output.error(`conformance:thin: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  if (settings === 'help') {
    output.log(usage);
    return 0;
  }
  try {
    await thinFiles(settings, files, output);
    return 0;
  } catch (error) {
    output.error(`conformance:thin: ${error instanceof Error ? error.message : error}; ${settings.to} is as it was`);
    return 1;
  }
}

async function thinFiles(settings: ThinSettings, files: readonly string[], output: Output): Promise<void> {
  output.log('building the packages with mutants');
  const { code, mutants } = await buildMutatedBundle();
  output.log(`${mutants.length} mutants; ${files.length} files`);
  const subjects: Subject[] = [];
  const waiting = [...files];
  const work = async () => {
    const runner = createMutantRunner(code);
    try {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const subject = await thinFile(settings, file, mutants, runner);
        subjects.push(subject);
        output.log(`${subjects.length}/${files.length} ${describeSubject(subject)}`);
      }
    } finally {
      runner.stop();
    }
  };
  await Promise.all(Array.from({ length: settings.jobs }, work));
  subjects.sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = writeThinned(settings, subjects, reportOf(subjects, mutants, settings));
  for (const line of [...totalLines(subjects, mutants), `${(bytes / 1e6).toFixed(1)} MB in ${settings.to}`]) output.log(line);
  if (settings.survivors) writeFileSync(settings.survivors, `${survivorLines(subjects, mutants).join('\n')}\n`);
}

async function thinFile(settings: ThinSettings, file: string, mutants: readonly Mutant[], runner: MutantRunner): Promise<Subject> {
  const path = resolve(settings.from, file);
  const lines = readLines(path);
  const ids = lines.map((line): string => JSON.parse(line).id);
  const bytes = lines.map((line) => Buffer.byteLength(line) + 1);
  const spread = spreadCases(bytes);
  const started = performance.now();
  const base = { file, name: file.slice(0, -'.jsonl'.length), lines, ids };
  if (!adapters.some(({ name }) => name === subjectOf(file))) return { ...base, kept: spread, seconds: 0 };

  const measured = await measureSubject({ runner, path, bytes, mutants, seed: settings.seed, maxMutants: settings.maxMutants });
  const reasons = chooseCases(killedOf(measured), bytes);
  const kept = fillUp(reasons.keys(), bytes);
  const killedByKept = await countKilled(runner, path, measured, kept);
  const killedBySpread = await countKilled(runner, path, measured, spread);
  const seconds = (performance.now() - started) / 1000;
  return { ...base, kept, seconds, measured: { ...measured, reasons, killedByKept, killedBySpread } };
}

const killedOf = ({ killers }: Measured) => new Map([...killers].filter(([, cases]) => cases.length > 0));

function readSettings(args: string[]): ThinSettings | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      to: { type: 'string', default: fileURLToPath(new URL('../../recorded', import.meta.url)) },
      only: { type: 'string', default: '*' },
      mutants: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      survivors: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const number = (name: 'mutants' | 'jobs') => {
    if (!/^[1-9]\d*$/.test(values[name])) throw new Error(`--${name} must be a number from 1 on, not "${values[name]}"`);
    return Number(values[name]);
  };
  if (!values.from) throw new Error('--from: name the folder with the full set; the project keeps only the thinned one');
  const { from, to, only, seed, survivors } = values;
  return { from, to, only, seed, maxMutants: number('mutants'), jobs: number('jobs'), ...(survivors && { survivors }) };
}

function chooseFiles({ from, to, only }: ThinSettings): string[] {
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`--from: no such folder: ${from}`);
  if (resolve(from) === resolve(to)) throw new Error('--from and --to are the same folder: name the full set with --from');
  const files = vectorFiles(from).filter((file) => matchesPattern(subjectOf(file), only));
  if (files.length === 0) throw new Error(`no *.jsonl file in ${from} matches "${only}"; --only takes names such as 'pleg-*'`);
  return files;
}
