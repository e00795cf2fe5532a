import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** One changed line in the source of a package. */
export interface LineChange {
  /** Unique, in kebab case. */
  name: string;
  /** Path from the top of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** The end of a process that ran in a copy. */
export interface CopyRun {
  /** Undefined after the time limit. */
  status: number | undefined;
  /** What it wrote to standard output. */
  output: string;
}

const top = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['packages', 'tests', 'scripts', 'examples'];
const excluded = ['dist', '.cache', '.tsbuild'];

/** How often the line to change occurs in the checkout. */
export function occurrences({ file, find }: LineChange): number {
  return readFileSync(join(top, file), 'utf8').split(find).length - 1;
}

/** Copies the sources to a temporary folder, with the dependencies of the checkout. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'nodeagent-sources-'));
  const isSource = (path: string) => !excluded.includes(basename(path));
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    if (!entry.isFile() && !copied.includes(entry.name)) continue;
    cpSync(join(top, entry.name), join(copy, entry.name), { recursive: true, verbatimSymlinks: true, filter: isSource });
  }
  symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

export function removeCopy(copy: string): void {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs `during` with a changed line in the copy. */
export async function withChange<T>(copy: string, change: LineChange, during: () => Promise<T>): Promise<T> {
  const path = join(copy, change.file);
  const source = readFileSync(path, 'utf8');
  if (source.split(change.find).length !== 2) throw new Error(`${change.name}: its line does not occur once in ${change.file}`);
  writeFileSync(
    path,
    source.replace(change.find, () => change.replace),
  );
  try {
    return await during();
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs Node with the arguments in the copy, at most for the time limit. */
export async function runInCopy(copy: string, args: readonly string[], limitMs: number): Promise<CopyRun> {
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'ignore'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  clearTimeout(timer);
  return { status: status ?? undefined, output };
}
