import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Clock } from '@nodeagent/api';
import type { TerminalSize } from '@nodeagent/streaming';

/** A command with a separate terminal. */
export interface TerminalCommand {
  /** The command to start instead: `script` of util-linux, which creates a pseudo terminal. */
  command: string[];
  env: Record<string, string>;
  /** Sets the terminal's size when the terminal exists; `pid` is the process that runs `command`. The last of several sizes is used. */
  resize(pid: number, size: TerminalSize): Promise<void>;
}

/** Polling period in milliseconds and number of attempts: `script` creates the terminal after its start. */
const pollPeriodMs = 20;
const maxPolls = 250;

/** Node cannot create pseudo terminals without native code, so the machine's tools do: `script` for the terminal, `stty` for its size. */
export function createTerminal(command: readonly string[], clock: Clock): TerminalCommand {
  const line = `exec ${command.map(quoted).join(' ')}`;
  let requested: TerminalSize | undefined;
  let resizing = false;

  const device = async (pid: number) => {
    for (let polls = 0; polls < maxPolls; polls++) {
      const found = await terminalOf(pid);
      if (found !== undefined || !existsSync(`/proc/${pid}`)) return found;
      await clock.sleep(pollPeriodMs);
    }
    return undefined;
  };
  return {
    command: ['script', '--quiet', '--return', '--echo', 'always', '--command', line, '/dev/null'],
    env: { SHELL: '/bin/sh', TERM: 'xterm' },
    async resize(pid, size) {
      requested = size;
      if (resizing) return;
      resizing = true;
      const path = await device(pid);
      while (requested !== undefined && path !== undefined) {
        const { Width, Height } = requested;
        requested = undefined;
        await new Promise<void>((resolve) => {
          execFile('stty', ['-F', path, 'cols', `${Width}`, 'rows', `${Height}`], () => resolve());
        });
      }
      resizing = false;
    },
  };
}

/** Quotes a word for a POSIX shell. */
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
