import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const unified = '/sys/fs/cgroup/unified';

/** crun, which refuses a machine of both cgroup versions if version 2 has controllers: on such a one without its mount of version 2. */
export function crunCommand(): string[] {
  const controllers = join(unified, 'cgroup.controllers');
  if (!existsSync(controllers) || readFileSync(controllers, 'utf8').trim() === '') return ['crun'];
  return ['unshare', '--mount', '--propagation=unchanged', '--', 'sh', '-c', `umount ${unified} && exec "$@"`, 'sh', 'crun'];
}

/** {@link crunCommand} as a program, in this folder if need be. */
export function writeUsableCrun(folder: string): string {
  const command = crunCommand();
  if (command.length === 1) return 'crun';
  const path = join(folder, 'crun');
  // By its path, so that the folder may be the first of PATH.
  const crun = execFileSync('which', ['crun'], { encoding: 'utf8' }).trim();
  const words = [...command.slice(0, -1), crun].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  writeFileSync(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return path;
}
