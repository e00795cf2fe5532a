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

/** The source with the changed line. Throws if the line does not occur exactly once. */
export function changedSource(source: string, { name, file, find, replace }: LineChange): string {
  if (source.split(find).length !== 2) throw new Error(`${name}: its line does not occur once in ${file}`);
  return source.replace(find, () => replace);
}

/** Changes the line in the copy. Returns a function that restores it. */
export function changeLine(copy: string, change: LineChange): () => void {
  const path = join(copy, change.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, changedSource(source, change));
  return () => writeFileSync(path, source);
}

/** Runs `during` with a changed line in the copy. */
export async function withChange<T>(copy: string, change: LineChange, during: () => Promise<T>): Promise<T> {
  const restore = changeLine(copy, change);
  try {
    return await during();
  } finally {
    restore();
  }
}

/** Runs Node with the arguments in the copy, at most for the time limit. */
export async function runInCopy(copy: string, args: readonly string[], limitMs: number): Promise<CopyRun> {
  // In a separate process group: workers in an endless loop outlive their parent.
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const killGroup = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(killGroup, limitMs);
  process.once('exit', killGroup);
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  clearTimeout(timer);
  process.off('exit', killGroup);
  return { status: status ?? undefined, output };
}
