import { AsyncLocalStorage } from 'node:async_hooks';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Mounter } from '@nodeagent/api';

/** Everything that changes the disk; `open` does when it makes files. */
const changing: ReadonlySet<string> = new Set([
  'chmod',
  'lchown',
  'mkdir',
  'mkdtemp',
  'open',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'unlink',
  'writeFile',
]);
const makes: ReadonlySet<string> = new Set(['mkdir', 'mkdtemp', 'open', 'symlink', 'writeFile']);
const reading = ['lstat', 'readFile', 'readdir', 'readlink', 'realpath', 'stat'] as const;
const removing: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'rename']);

type Call = (...args: unknown[]) => Promise<unknown>;

/** What happens to an agent at one of its next steps: it ends, the step fails once, or the disk is full from then on. */
export interface Trouble {
  at: number;
  kind: 'end' | 'failure' | 'full disk';
}

/** How a step can fail. */
interface Step<T> {
  run(): Promise<T>;
  /** What of it may be done though it fails. */
  half?(): Promise<unknown>;
  failure: Error;
  /** Whether it takes space. */
  takesSpace?: boolean;
}

/** An agent's life, as a row of steps that change the node. */
export interface Life {
  /** Does the step, fails, or never returns because the agent has ended. */
  step<T>(step: Step<T>): Promise<T>;
  readonly steps: number;
  /** What is ahead of it, counted from now; with nothing all is well again. Returns whether what was ahead has happened. */
  meet(trouble?: Trouble): boolean;
  readonly ended: boolean;
  /** Resolves when it ends. */
  readonly end: Promise<void>;
  /** What it has opened, which the kernel closes when it ends. */
  readonly handles: FileHandle[];
}

export function createLife(): Life {
  let trouble: Trouble | undefined;
  let hasMet = false;
  let isDiskFull = false;
  let steps = 0;
  let markEnd = () => {};
  let ended = false;
  const end = new Promise<void>((resolve) => {
    markEnd = resolve;
  });
  return {
    end,
    handles: [],
    get steps() {
      return steps;
    },
    get ended() {
      return ended;
    },
    meet(next) {
      const had = hasMet;
      hasMet = false;
      isDiskFull = false;
      trouble = next && { ...next, at: steps + next.at };
      return had;
    },
    async step({ run, half, failure, takesSpace = false }) {
      steps++;
      const isNow = steps === trouble?.at;
      if (isNow) {
        hasMet = true;
        isDiskFull = trouble?.kind === 'full disk';
        ended = trouble?.kind === 'end';
      } else if (ended) return new Promise<never>(() => {});
      const fails = isDiskFull ? takesSpace : isNow && trouble?.kind !== 'full disk';
      if (!fails) return run();
      await half?.();
      if (isDiskFull) throw diskFull();
      if (!ended) throw failure;
      markEnd();
      return new Promise<never>(() => {});
    },
  };
}

const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
const ioError = (name: string) => Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' });

const lives = new AsyncLocalStorage<Life>();

/** Runs what belongs to the agent: all that it does to files is a step of its life. */
export const within = <T>(life: Life, run: () => T): T => lives.run(life, run);

export interface WatchedFiles {
  /** What was removed although it lies in something that is mounted, or has something mounted in it. */
  readonly violations: string[];
  /** Resolves when the disk has nothing to do. */
  quiet(): Promise<void>;
  restore(): void;
}

/**
 * Makes each change that agents make to files a step of theirs, and lets the disk behave as one with these mounts does. A file that is
 * written when the agent ends is written by half.
 */
export function watchFiles(mounter: Pick<Mounter, 'list'>, mayRemove: (path: string) => boolean): WatchedFiles {
  const names = [...changing, ...reading] as (keyof typeof fs)[];
  const originals = Object.fromEntries(names.map((name) => [name, fs[name]])) as Record<string, Call>;
  const violations: string[] = [];
  let pending = 0;

  async function refuseMounted(name: string, path: string): Promise<void> {
    const points = (await mounter.list()).map(({ mountPoint }) => mountPoint);
    if (points.some((point) => path.startsWith(`${point}/`)) && !mayRemove(path)) violations.push(`${name} ${path}`);
    if (points.some((point) => point.startsWith(`${path}/`)) && name === 'rm') violations.push(`${name} ${path}`);
    if (points.includes(path)) throw Object.assign(new Error(`EBUSY: resource busy, ${name} '${path}'`), { code: 'EBUSY' });
  }

  for (const [name, original] of Object.entries(originals)) {
    const counted: Call = (...args) => {
      pending++;
      return original(...args).finally(() => pending--);
    };
    const watched: Call = async (...args) => {
      const life = lives.getStore();
      const isChange = changing.has(name) && (name !== 'open' || args[1] === 'a');
      if (life === undefined || !isChange) {
        const result = await counted(...args);
        if (name === 'open') life?.handles.push(result as FileHandle);
        if (life?.ended) return new Promise<never>(() => {});
        return result;
      }
      const [path, data, ...options] = args;
      const half = data instanceof Uint8Array ? data.subarray(0, data.length / 2) : String(data).slice(0, 5);
      return life.step({
        async run() {
          if (removing.has(name)) await refuseMounted(name, String(path));
          return counted(...args);
        },
        ...(name === 'writeFile' && { half: () => counted(path, half, ...options) }),
        failure: ioError(name),
        takesSpace: makes.has(name),
      });
    };
    Object.assign(fs, { [name]: watched });
  }
  syncBuiltinESMExports();
  return {
    violations,
    async quiet() {
      for (let turns = 0; turns < 3; turns++) {
        if (pending > 0) turns = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    restore() {
      Object.assign(fs, originals);
      syncBuiltinESMExports();
    },
  };
}
