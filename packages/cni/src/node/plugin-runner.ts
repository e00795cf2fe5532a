import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, errorMessage, NodeAgentError, systemClock } from '@nodeagent/api';
import type { PluginRunner } from '../cni.js';
import { cniErrorCodes } from '../errors.js';
import type { PluginCall, PluginOutput } from '../plugin/run-plugin.js';
import { endOrphans } from './orphans.js';

export interface PluginRunnerOptions {
  /** The folders of the plugins' programs, `CNI_PATH`: the first with an executable file of the name counts. Default `/opt/cni/bin`. */
  pluginDirs?: readonly string[];
  /** Default: the system clock. */
  clock?: Clock;
}

/** Of a result; one of a thousand addresses has 100 kB. */
const maxStdoutBytes = 1 << 20;
/** The end of a log that an error may show. */
const maxStderrBytes = 4 << 10;
/** How long a child process of a plugin that has exited may hold its output open: a daemon does so for ever. */
const outputGraceMs = 500;
/** How long a killed plugin may take to end: one may hang in the kernel. */
const killGraceMs = 2_000;

/** Runs the plugins' programs of this machine, each in a process group, without a shell. Does no I/O at creation. */
export function createPluginRunner({ pluginDirs = ['/opt/cni/bin'], clock = systemClock }: PluginRunnerOptions = {}): PluginRunner {
  return {
    async run(call, signal) {
      signal.throwIfAborted();
      const path = await findProgram(call.plugin, pluginDirs);
      signal.throwIfAborted();
      return runProgram(path, { ...call, env: { ...call.env, CNI_PATH: pluginDirs.join(':') } }, signal, clock);
    },
    endOrphans: (containerIds, signal) => endOrphans(containerIds, clock, signal),
  };
}

async function findProgram(plugin: string, pluginDirs: readonly string[]): Promise<string> {
  let notExecutable: string | undefined;
  for (const folder of pluginDirs) {
    const path = join(folder, plugin);
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isFile()) continue;
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      notExecutable ??= path;
    }
  }
  const problem =
    notExecutable === undefined
      ? `failed to find plugin "${plugin}" in path [${pluginDirs.join(' ')}]`
      : `${notExecutable} is not executable`;
  throw new NodeAgentError(cniErrorCodes.pluginNotFound, problem, {
    retryable: true,
    details: { plugin, ...(notExecutable !== undefined && { path: notExecutable }) },
    hint: 'Install the CNI plugins, such as the package containernetworking-plugins, or set the plugin folders.',
  });
}

function runProgram(path: string, { plugin, env, stdin }: PluginCall, signal: AbortSignal, clock: Clock): Promise<PluginOutput> {
  return new Promise((resolve, reject) => {
    let isTooLong = false;
    const child = spawn(path, [], { cwd: '/', env: { ...environment(), ...env }, stdio: 'pipe', detached: true });
    const stdout = collect(child.stdout, maxStdoutBytes, () => {
      isTooLong = true;
      kill();
    });
    const stderr = collectEnd(child.stderr, maxStderrBytes);
    const kill = () => {
      killGroup(child);
      settleIn(killGraceMs);
    };
    const settleIn = (ms: number) => void clock.setTimeout(settle, ms);
    function settle(): void {
      signal.removeEventListener('abort', kill);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      if (signal.aborted) reject(signal.reason);
      const end = child.signalCode === null ? { exitCode: child.exitCode ?? -1 } : { signal: child.signalCode };
      resolve({ ...end, stdout: stdout(), stderr: stderr(), ...(isTooLong && { isTooLong }) });
    }
    signal.addEventListener('abort', kill, { once: true });
    child.once('exit', () => settleIn(outputGraceMs));
    child.once('close', settle);
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill);
      const details = { plugin, path };
      reject(new NodeAgentError(cniErrorCodes.pluginNotFound, `${path} cannot be run: ${errorMessage(error)}`, { cause: error, details }));
    });
    // A plugin may exit before it has read all input.
    child.stdin.on('error', () => {}).end(stdin);
  });
}

/** This process's environment, without the variables of a call that it may be part of. */
const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CNI_')));

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/** The text of a stream; `onExcess` is called once it is longer than the limit. */
function collect(stream: Readable, limit: number, onExcess: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const isFirst = size <= limit;
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (isFirst) onExcess();
  });
  return () => Buffer.concat(chunks).toString();
}

/** The last bytes of a stream. */
function collectEnd(stream: Readable, limit: number): () => string {
  let end: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    end = Buffer.concat([end, chunk]).subarray(-limit);
  });
  return () => end.toString().trim();
}
