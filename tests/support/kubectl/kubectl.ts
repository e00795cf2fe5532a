import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';

/** kubectl as one user. Commands are given in one line, their words between single spaces, or as a list of words. */
export interface Kubectl {
  start(args: string | readonly string[]): ChildProcessWithoutNullStreams;
  /** Runs a command to its end: what it printed, and its exit code. */
  run(args: string | readonly string[], stdin?: string): Promise<{ code: number | null; out: string }>;
  /** What a command printed that has to succeed. */
  succeeds(args: string | readonly string[], stdin?: string): Promise<string>;
}

/** `home` is a folder for what kubectl keeps; its file `config` has to be a kubeconfig. `env` is added to kubectl's own. */
export function createKubectl(binary: string, home: string, env: NodeJS.ProcessEnv = {}): Kubectl {
  const wordsOf = (args: string | readonly string[]) => (typeof args === 'string' ? args.split(' ') : args);
  const start: Kubectl['start'] = (args) =>
    spawn(binary, ['--kubeconfig', join(home, 'config'), '--cache-dir', join(home, 'cache'), ...wordsOf(args)], {
      env: { PATH: process.env.PATH, HOME: home, KUBE_EDITOR: 'sed -i s/blue/green/', ...env },
    });
  const runOnce: Kubectl['run'] = async (args, stdin = '') => {
    const child = start(args);
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        out += data;
      });
    }
    child.stdin.end(stdin);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out };
  };
  // On a busy machine kubectl may read the WebSocket before it has made its streams, and then drops what a short command printed.
  const run: Kubectl['run'] = async (args, stdin) => {
    const first = await runOnce(args, stdin);
    return first.out.includes('Unknown stream id') ? runOnce(args, stdin) : first;
  };
  return {
    start,
    run,
    async succeeds(args, stdin) {
      const { code, out } = await run(args, stdin);
      expect(code, `kubectl ${wordsOf(args).join(' ')}: ${out}`).toBe(0);
      return out;
    },
  };
}
