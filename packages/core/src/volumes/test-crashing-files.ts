import { AsyncLocalStorage } from 'node:async_hooks';
import { readlinkSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Mounter } from '@nodeagent/api';

/** The calls that change the disk; `open` if it creates files. */
const changing: ReadonlySet<string> = new Set([
  'chmod',
  'chown',
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
const creating: ReadonlySet<string> = new Set(['mkdir', 'mkdtemp', 'open', 'symlink', 'writeFile']);
const reading = ['lstat', 'readFile', 'readdir', 'readlink', 'realpath', 'stat'] as const;
/** How Node names its pending file operations. */
const fileRequests: ReadonlySet<string> = new Set(['FSReqCallback', 'FSReqPromise', 'CloseReq']);
const removing: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'rename']);

type Call = (...args: unknown[]) => Promise<unknown>;

/** The path of a file that is named by an open handle of its folder. */
const withoutHandle = (path: string) => path.replace(/^\/proc\/self\/fd\/\d+/, (handle) => readlinkSync(handle));

/** A fault at one of an agent's next steps: the agent is killed, the step fails once, or the disk is full from then on. */
export interface InjectedFault {
  at: number;
  kind: 'kill' | 'failure' | 'full disk';
}

/** How a step can fail. */
interface Step<T> {
  run(): Promise<T>;
  /** The part of it that may be done although it fails. */
  half?(): Promise<unknown>;
  failure: Error;
  /** Whether it takes space. */
  takesSpace?: boolean;
}

/** The run of an agent, as a sequence of steps that change the node. */
export interface AgentSteps {
  /** Runs the step, fails, or never returns because the agent was killed. */
  run<T>(step: Step<T>): Promise<T>;
  /** Number of steps so far. */
  readonly count: number;
  /** Injects a fault, with `at` counted from now, instead of the previous one; without an argument removes it. Returns whether the previous one hit. */
  inject(fault?: InjectedFault): boolean;
  readonly isKilled: boolean;
  /** Resolves when the agent is killed. */
  readonly killed: Promise<void>;
  /** The open files, which the kernel closes when the agent is killed. */
  readonly handles: FileHandle[];
}

export function createAgentSteps(): AgentSteps {
  let fault: InjectedFault | undefined;
  let isHit = false;
  let isDiskFull = false;
  let count = 0;
  let markKilled = () => {};
  let isKilled = false;
  const killed = new Promise<void>((resolve) => {
    markKilled = resolve;
  });
  return {
    killed,
    handles: [],
    get count() {
      return count;
    },
    get isKilled() {
      return isKilled;
    },
    inject(next) {
      const wasHit = isHit;
      isHit = false;
      isDiskFull = false;
      fault = next && { ...next, at: count + next.at };
      return wasHit;
    },
    async run({ run, half, failure, takesSpace = false }) {
      count++;
      const isNow = count === fault?.at;
      if (isNow) {
        isHit = true;
        isDiskFull = fault?.kind === 'full disk';
        isKilled = fault?.kind === 'kill';
      } else if (isKilled) return new Promise<never>(() => {});
      const fails = isDiskFull ? takesSpace : isNow && fault?.kind !== 'full disk';
      if (!fails) return run();
      await half?.();
      if (isDiskFull) throw diskFull();
      if (!isKilled) throw failure;
      markKilled();
      return new Promise<never>(() => {});
    },
  };
}

const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
const ioError = (name: string) => Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' });

const current = new AsyncLocalStorage<AgentSteps>();

/** Runs code of the agent: each change that it makes to files is a step. */
export const within = <T>(steps: AgentSteps, run: () => T): T => current.run(steps, run);

export interface WatchedFiles {
  /** Removed paths that are inside a mount, or that contain one. */
  readonly violations: string[];
  /** Resolves when no file operation is pending. */
  quiet(): Promise<void>;
  restore(): void;
}

/**
 * Makes each file change of an agent a step, and makes the disk behave as with these mounts. A file that is written when the agent is killed
 * is half written.
 */
export function watchFiles(mounter: Pick<Mounter, 'list'>, mayRemove: (path: string) => boolean): WatchedFiles {
  const names = [...changing, ...reading] as (keyof typeof fs)[];
  const originals = Object.fromEntries(names.map((name) => [name, fs[name]])) as Record<string, Call>;
  const violations: string[] = [];

  async function refuseMounted(name: string, path: string): Promise<void> {
    const points = (await mounter.list()).map(({ mountPoint }) => mountPoint);
    if (points.some((point) => path.startsWith(`${point}/`)) && !mayRemove(path)) violations.push(`${name} ${path}`);
    if (points.some((point) => point.startsWith(`${path}/`)) && name === 'rm') violations.push(`${name} ${path}`);
    if (points.includes(path)) throw Object.assign(new Error(`EBUSY: resource busy, ${name} '${path}'`), { code: 'EBUSY' });
  }

  for (const [name, original] of Object.entries(originals)) {
    const watched: Call = async (...args) => {
      const steps = current.getStore();
      const isChange = changing.has(name) && (name !== 'open' || args[1] === 'a');
      if (steps === undefined || !isChange) {
        const result = await original(...args);
        if (name === 'open') steps?.handles.push(result as FileHandle);
        if (steps?.isKilled) return new Promise<never>(() => {});
        return result;
      }
      const [path, data, ...options] = args;
      const half = data instanceof Uint8Array ? data.subarray(0, data.length / 2) : String(data).slice(0, 5);
      return steps.run({
        async run() {
          if (removing.has(name)) await refuseMounted(name, withoutHandle(String(path)));
          return original(...args);
        },
        ...(name === 'writeFile' && { half: () => original(path, half, ...options) }),
        failure: ioError(name),
        takesSpace: creating.has(name),
      });
    };
    Object.assign(fs, { [name]: watched });
  }
  syncBuiltinESMExports();
  return {
    violations,
    async quiet() {
      for (let turns = 0; turns < 3; turns++) {
        if (process.getActiveResourcesInfo().some((name) => fileRequests.has(name))) turns = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    restore() {
      Object.assign(fs, originals);
      syncBuiltinESMExports();
    },
  };
}
