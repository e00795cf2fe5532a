import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { matchesPattern } from '../../support/glob.js';
import type { Mask } from './mask.js';
import { describeFailure, replayFile } from './replay.js';
import { type ReplayedSubjects, subjectProblems } from './subject-problems.js';
import { readLines, subjectOf, vectorFiles } from './vectors.js';

const usage = `Replays recorded decisions of a kubelet on the packages.

usage: npm run conformance -- [options]

  --dir DIR         folder with *.jsonl files, searched recursively (default: the project's own set, tests/vectors/recorded)
  --only PATTERN    only files whose name (without .jsonl) matches; * is any text, ? one character, such as 'pleg-*'
  --show N          differences to print a file (default 3)
  --help            this text

What is not compared is in tests/vectors/src/masks.ts. The run prints each mask with the number of cases that agree only because of it.
Subjects that no adapter replays are listed with a reason in tests/vectors/src/without-adapter.ts. Without --only, DIR must be a whole set:
each adapter and each listed subject has a file in it.

exit code: 0 all agree, 1 a case differs or adapters, the list and files do not fit together, 2 bad arguments`;

/** The output of a run. */
export interface Output {
  log(line: string): void;
  error(line: string): void;
}

interface Settings {
  dir: string;
  /** Absent: all files. */
  only: string | undefined;
  show: number;
}

/** Runs the command line; resolves to the exit code. */
export async function runConformance(args: string[], subjects: ReplayedSubjects, output: Output = console): Promise<0 | 1 | 2> {
  let settings: Settings | 'help';
  let files: string[] = [];
  try {
    settings = readSettings(args);
    if (settings !== 'help') files = chooseFiles(settings);
  } catch (error) {
    output.error(`conformance: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  if (settings === 'help') {
    output.log(usage);
    return 0;
  }

  const { adapters, withoutAdapter } = subjects;
  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  const notReplayed: string[] = [];
  const masked = new Map<Mask, { cases: number; subjects: Set<string> }>();
  let passed = 0;
  let total = 0;
  for (const file of files) {
    const label = file.slice(0, -'.jsonl'.length);
    const adapter = byName.get(subjectOf(file));
    if (adapter === undefined) {
      const reason = withoutAdapter[subjectOf(file)];
      if (reason !== undefined) notReplayed.push(`${label} (${count(readLines(join(settings.dir, file)).length, 'case')}): ${reason}`);
      continue;
    }
    const result = await replayFile(adapter, settings.dir, file);
    const agreeing = result.total - result.failures.length;
    passed += agreeing;
    total += result.total;
    for (const mask of adapter.compare.masks ?? []) {
      const use = masked.get(mask) ?? { cases: 0, subjects: new Set() };
      masked.set(mask, use);
      use.cases += result.masked.get(mask) ?? 0;
      use.subjects.add(adapter.name);
    }
    output.log(`${label} ${agreeing}/${result.total}`);
    for (const failure of result.failures.slice(0, settings.show)) output.log(describeFailure(failure));
  }
  const problems = subjectProblems(files, subjects, { isWholeSet: settings.only === undefined });
  for (const [{ name, reason }, { cases, subjects }] of masked) {
    output.log(`masked: ${name}, ${count(cases, 'case')} of ${[...subjects].join(', ')}: ${reason}`);
  }
  for (const line of notReplayed) output.log(`no adapter: ${line}`);
  for (const problem of problems) output.log(`failed: ${problem}`);
  const usedMasks = [...masked.values()].filter(({ cases }) => cases > 0).length;
  const more = [
    ...(usedMasks > 0 ? [`${count(usedMasks, 'mask')} required`] : []),
    ...(notReplayed.length > 0 ? [`${count(notReplayed.length, 'file')} without an adapter`] : []),
    ...(problems.length > 0 ? [`${count(problems.length, 'problem')} with subjects`] : []),
  ];
  output.log([`total ${passed}/${total}`, ...more].join(', '));
  return passed < total || problems.length > 0 ? 1 : 0;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function readSettings(args: string[]): Settings | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      dir: { type: 'string', default: fileURLToPath(new URL('../recorded', import.meta.url)) },
      only: { type: 'string' },
      show: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (!/^\d+$/.test(values.show)) throw new Error(`--show must be a number from 0 on, not "${values.show}"`);
  return { dir: values.dir, only: values.only, show: Number(values.show) };
}

function chooseFiles({ dir, only: pattern = '*' }: Settings): string[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) throw new Error(`--dir: no such folder: ${dir}`);
  const files = vectorFiles(dir).filter((file) => matchesPattern(subjectOf(file), pattern));
  if (files.length === 0) throw new Error(`no *.jsonl file in ${dir} matches "${pattern}"`);
  return files;
}
