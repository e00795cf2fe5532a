import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Pod } from '@nodeagent/api';
import { type Console, main } from '@nodeagent/cli';
import { onTestFinished } from 'vitest';
import { tempFolder } from './scene.js';

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** A console whose output is kept. */
function createConsole({ isTTY }: { isTTY: boolean }) {
  const interrupts = new Set<(why: 'SIGTERM') => void>();
  const stream = () => {
    const pieces: Buffer[] = [];
    const write = (data: string | Uint8Array) => pieces.push(Buffer.from(data as string)) > 0;
    return { write, isTTY, columns: 200, rows: 50, on() {}, off() {}, text: () => Buffer.concat(pieces).toString() };
  };
  const [stdout, stderr] = [stream(), stream()];
  const console: Console = {
    stdin: Object.assign(Readable.from([]), { isTTY, setRawMode() {} }),
    stdout,
    stderr,
    env: { PATH: process.env.PATH, TERM: 'xterm' },
    isRoot: process.getuid?.() === 0,
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
  };
  const interrupt = () => {
    for (const listener of interrupts) listener('SIGTERM');
  };
  return { console, stdout, stderr, interrupt };
}

/** The command in this process, with what it prints to a terminal or a pipe. */
export async function runCommand(args: readonly string[], options = { isTTY: false }): Promise<Output> {
  const { console, stdout, stderr } = createConsole(options);
  return { code: await main(args, console), stdout: stdout.text(), stderr: stderr.text() };
}

export interface RunningAgent {
  rootDir: string;
  logsDir: string;
  /** Runs another command with the agent's root directory. */
  call(name: string, ...args: string[]): Promise<Output>;
  /** The same on a terminal. */
  callOnTerminal(name: string, ...args: string[]): Promise<Output>;
  /** What `nodeagent run` has printed. */
  printed(): string;
}

/** Starts `nodeagent run` with these static pods on the embedded runtime: containers are real processes of this user. */
export async function runAgent(
  pods: readonly Pod[] | ((logsDir: string) => readonly Pod[]),
  options = { isTTY: false },
): Promise<RunningAgent> {
  const folder = tempFolder();
  const [rootDir, logsDir, manifests] = ['root', 'logs', 'manifests'].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(manifests);
  for (const [index, pod] of (typeof pods === 'function' ? pods(logsDir) : pods).entries()) {
    writeFileSync(join(manifests, `${index}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }));
  }
  const { console, stdout, stderr, interrupt } = createConsole(options);
  const switches = ['--runtime-endpoint', 'process', '--cgroups-per-qos=false', '--device-plugins=false', '--node-name', 'node'];
  const ended = main(['run', '-f', manifests, '--root-dir', rootDir, '--pod-logs-dir', logsDir, ...switches], console);
  onTestFinished(async () => {
    interrupt();
    await ended;
  });
  return {
    rootDir,
    logsDir,
    call: (name, ...args) => runCommand([name, '--root-dir', rootDir, ...args]),
    callOnTerminal: (name, ...args) => runCommand([name, '--root-dir', rootDir, ...args], { isTTY: true }),
    printed: () => stdout.text() + stderr.text(),
  };
}
