import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Adapter } from './adapter.js';
import { matchesPattern } from './glob.js';
import { describeFailure, replayFile } from './replay.js';
import { readLines, subjectOf, vectorFiles } from './vectors.js';

const usage = `Replays recorded decisions of a kubelet on the packages.

usage: npm run conformance -- [options]

  --dir DIR         folder with *.jsonl files, searched recursively (default: the project's own set, tests/vectors/recorded)
  --only PATTERN    only files whose name (without .jsonl) matches; * is any text, ? one character, such as 'pleg-*'
  --show N          differences to print a file (default 3)
  --allow-missing   files without an adapter are listed and counted, but do not fail the run
  --help            this text

exit code: 0 all agree, 1 a case differs or a file has no adapter, 2 bad arguments`;

/** Where the lines of a run go. */
export interface Output {
  log(line: string): void;
  error(line: string): void;
}

interface Settings {
  dir: string;
  only: string;
  show: number;
  allowMissing: boolean;
}

/** A run as the command line asks for it; gives the exit code. */
export async function runConformance(args: string[], adapters: readonly Adapter[], output: Output = console): Promise<0 | 1 | 2> {
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

  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  const missing: string[] = [];
  let passed = 0;
  let total = 0;
  for (const file of files) {
    const label = file.slice(0, -'.jsonl'.length);
    const adapter = byName.get(subjectOf(file));
    if (adapter === undefined) {
      missing.push(label);
      output.log(`${label} not yet (${readLines(join(settings.dir, file)).length} cases)`);
      continue;
    }
    const result = await replayFile(adapter, settings.dir, file);
    const agreeing = result.total - result.failures.length;
    passed += agreeing;
    total += result.total;
    output.log(`${label} ${agreeing}/${result.total}`);
    for (const failure of result.failures.slice(0, settings.show)) output.log(describeFailure(failure));
  }
  output.log(`total ${passed}/${total}${missing.length > 0 ? `, ${missing.length} files not yet` : ''}`);
  return passed < total || (missing.length > 0 && !settings.allowMissing) ? 1 : 0;
}

function readSettings(args: string[]): Settings | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      dir: { type: 'string', default: fileURLToPath(new URL('../recorded', import.meta.url)) },
      only: { type: 'string', default: '*' },
      show: { type: 'string', default: '3' },
      'allow-missing': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (!/^\d+$/.test(values.show)) throw new Error(`--show takes a number from 0 on, not "${values.show}"`);
  return { dir: values.dir, only: values.only, show: Number(values.show), allowMissing: values['allow-missing'] };
}

function chooseFiles({ dir, only }: Settings): string[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) throw new Error(`--dir: no such folder: ${dir}`);
  const files = vectorFiles(dir).filter((file) => matchesPattern(subjectOf(file), only));
  if (files.length === 0) throw new Error(`no *.jsonl file in ${dir} matches "${only}"`);
  return files;
}
