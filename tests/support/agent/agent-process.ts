import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cgroupRootOf } from './cgroup-roots.js';

/** The built command. */
export const command = fileURLToPath(new URL('../../../packages/cli/dist/bin.js', import.meta.url));

/** A line that the agent logged. */
export interface LogLine {
  level: string;
  msg: string;
  /** `namespace/name` of the pod that the line is about. */
  pod?: string;
  /** Text of the error. */
  err?: string;
  [field: string]: unknown;
}

/** A `nodeagent` command as a separate process. */
export interface AgentProcess {
  readonly pid: number;
  readonly lines: readonly LogLine[];
  /** The exit code, once the process has ended; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** The first line from `from` on that fits; fails after `timeoutMs` with the last lines. */
  line(what: string, fits: (line: LogLine) => boolean, options?: { timeoutMs?: number; from?: number }): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProcessOptions {
  /** What Node is to run before the arguments. Default the built command. */
  program?: readonly string[];
  /** Path of Node. Default: that of this process. */
  node?: string;
  /** What is to run Node, such as `nsenter` with its arguments. Default nothing. */
  prefix?: readonly string[];
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

/**
 * `nodeagent run` that logs JSON lines. Several run at a time: it listens on no port that its arguments do not name, and its pods' cgroups
 * are below a root of the agent's root directory.
 */
export const startAgent = (args: readonly string[], options: ProcessOptions = {}): AgentProcess =>
  startCommand(
    [
      ...['run', '--output', 'json', '--log-level', 'info', '--port', '0', '--healthz-port', '0'],
      ...['--cgroup-root', `/${cgroupRootOf(args[args.indexOf('--root-dir') + 1] ?? '')}`],
      ...args,
    ],
    options,
  );

/** The last 30 lines as text, for the message of a failure. */
export const lastLines = (lines: readonly LogLine[]): string =>
  lines
    .slice(-30)
    .map((line) => JSON.stringify(line))
    .join('\n');

/** Any `nodeagent` command; lines that are no JSON have the level `raw`. */
export function startCommand(
  args: readonly string[],
  { program = [command], node = process.execPath, prefix = [], env = process.env, ...options }: ProcessOptions = {},
): AgentProcess {
  const [first = node, ...rest] = [...prefix, node, ...program, ...args];
  const child: ChildProcess = spawn(first, rest, { env, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  const take = (text: string) => {
    try {
      lines.push(JSON.parse(text) as LogLine);
    } catch {
      lines.push({ level: 'raw', msg: text });
    }
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', take);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });

  return {
    pid: child.pid ?? 0,
    lines,
    exited,
    line(what, fits, { timeoutMs = 60_000, from = 0 } = {}) {
      return new Promise((resolve, reject) => {
        let next = from;
        const check = () => {
          for (; next < lines.length; next++) {
            const line = lines[next];
            if (line && fits(line)) return done(() => resolve(line));
          }
        };
        const done = (action: () => void) => {
          clearTimeout(timer);
          listeners.delete(check);
          action();
        };
        const fail = (why: string) => done(() => reject(new Error(`${why} waiting for ${what}; the last lines:\n${lastLines(lines)}`)));
        const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
        void exited.then(() => setTimeout(() => listeners.has(check) && fail('the agent ended'), 100));
        listeners.add(check);
        check();
      });
    },
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
