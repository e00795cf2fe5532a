import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { run } from '../debian-package.js';

const programs = ['crun', 'conmon', 'catatonit', 'socat'];

/** Which of the programs that the OCI runtime of nodeagent runs are not in PATH. */
export const missingOciPrograms = (): string[] =>
  [...programs, 'unshare', 'nsenter', 'ip'].filter((name) => spawnSync('which', [name]).status !== 0);

/** Installs Debian's packages of what the OCI runtime of nodeagent runs, unless they are installed. */
export function provideOciPrograms(): void {
  const missing = programs.filter((name) => !existsSync(`/usr/bin/${name}`));
  if (missing.length === 0) return;
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
}
