import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of this test, in memory if the machine has `/dev/shm`: an attacker renames files twice as fast there. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'attack-')));
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
  return folder;
}

export interface Scene {
  root: string;
  /** The folder that the attacker can write to. */
  volume: string;
  /** A folder of the host with `inner/file-0`, which contains `secret`. */
  host: string;
  /** Names, modes, owners and content of the host's folder: what no attack may change. */
  hostState(): unknown;
  /** Whether the path leads to a file or folder of the host. */
  isOfHost(path: string): boolean;
}

export function createScene(): Scene {
  const root = tempFolder();
  const [volume, host] = [join(root, 'volume'), join(root, 'host')];
  mkdirSync(volume);
  mkdirSync(join(host, 'inner'), { recursive: true, mode: 0o700 });
  writeFileSync(join(host, 'inner', 'file-0'), 'secret', { mode: 0o600 });
  const identityOf = (path: string) => {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  };
  const identities = new Set([host, join(host, 'inner'), join(host, 'inner', 'file-0')].map(identityOf));
  return {
    root,
    volume,
    host,
    hostState: () =>
      ['.', ...(readdirSync(host, { recursive: true }) as string[])].sort().map((name) => {
        const path = join(host, name);
        const facts = lstatSync(path);
        return [name, facts.mode, facts.uid, facts.gid, facts.isFile() ? readFileSync(path, 'utf8') : ''];
      }),
    isOfHost: (path) => identities.has(identityOf(path)),
  };
}
