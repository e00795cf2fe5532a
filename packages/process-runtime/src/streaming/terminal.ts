import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { TerminalSize } from '@nodeagent/streaming';

/** A command on a terminal of its own. */
export interface TerminalCommand {
  /** What to start instead: `script` of util-linux, which makes a pseudo terminal. */
  command: string[];
  env: Record<string, string>;
  /** Gives the terminal its size, once it is there; `pid` is that of the process that runs `command`. */
  resize(pid: number, size: TerminalSize): Promise<void>;
}

/** Node cannot make pseudo terminals without native code, so that the machine's tools do: `script` for the terminal, `stty` for its size. */
export function createTerminal(command: readonly string[]): TerminalCommand {
  const line = `exec ${command.map(quoted).join(' ')}`;
  return {
    command: ['script', '--quiet', '--return', '--echo', 'always', '--command', line, '/dev/null'],
    env: { SHELL: '/bin/sh', TERM: 'xterm' },
    async resize(pid, { Width, Height }) {
      const device = await terminalOf(pid);
      if (device === undefined) return;
      await new Promise<void>((resolve) => {
        execFile('stty', ['-F', device, 'cols', `${Width}`, 'rows', `${Height}`], () => resolve());
      });
    },
  };
}

/** A word as a POSIX shell takes it whatever is in it. */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** The terminal of the only child of a process. */
async function terminalOf(pid: number): Promise<string | undefined> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const task of tasks) {
    const children = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter((each) => each !== '')) {
      const device = await readlink(`/proc/${child.trim()}/fd/0`).catch(() => '');
      if (/^\/dev\/pts\/\d+$/.test(device)) return device;
    }
  }
  return undefined;
}
