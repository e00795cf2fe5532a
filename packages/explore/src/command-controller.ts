import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Controller } from './controller.js';

export interface CommandControllerOptions {
  /** Arguments of the program; `{kubeconfig}` is replaced by the path of its kubeconfig. Default: none. */
  args?: readonly string[];
  /** Variables of its environment, in addition to those of this process and to `KUBECONFIG`. Default: none. */
  env?: Readonly<Record<string, string>>;
  /** Default: that of this process. */
  cwd?: string;
}

/**
 * A controller that is a program of any language. It gets its kubeconfig by `KUBECONFIG`; its standard error is in the timeline. A crash is a
 * SIGKILL, and a program that ends is started again. It runs in real time: `explore` needs the options `network` and `speed`.
 */
export function commandController(program: string, { args = [], env, cwd }: CommandControllerOptions = {}): Controller {
  return ({ kubeconfig, signal, note, ended }) => {
    const folder = mkdtempSync(join(tmpdir(), 'explore-'));
    const path = join(folder, 'kubeconfig');
    writeFileSync(path, kubeconfig(), { mode: 0o600 });
    const child = spawn(
      program,
      args.map((each) => each.replaceAll('{kubeconfig}', path)),
      { cwd, env: { ...process.env, ...env, KUBECONFIG: path }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    let lastLine = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trimEnd().split('\n')) note(line);
      lastLine = text.trimEnd().split('\n').at(-1) ?? '';
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', ({ message }) => reject(new Error(`${message}: give the path of a program, or a name that is in PATH`)));
      child.once('close', (code, killedBy) => {
        signal.removeEventListener('abort', kill);
        rmSync(folder, { recursive: true, force: true });
        const how = killedBy ? `was killed by ${killedBy}` : `exited with ${code}`;
        ended(`${program} ${how}${lastLine && `, after: ${lastLine}`}`);
      });
    });
  };
}
