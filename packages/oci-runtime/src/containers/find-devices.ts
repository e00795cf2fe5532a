import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { HostDevice } from '../spec/devices.js';

/** Folders of /dev that a container has for itself. */
const ownFolders = new Set(['pts', 'shm', 'mqueue', 'fd', 'console']);

/** The devices of this machine at a path: itself, or all in the folder and below. Empty for a path without one. */
export function findDevices(path: string): HostDevice[] {
  const facts = lstatOrNone(path);
  if (facts === undefined) return [];
  if (facts.isSymbolicLink()) return findDevices(realpathSync(path)).map((device) => ({ ...device, path }));
  if (facts.isDirectory()) return readdirSync(path).flatMap((name) => (ownFolders.has(name) ? [] : findBelow(join(path, name))));
  return toDevice(path, facts);
}

/** Links below a folder are left out: what they lead to may be anywhere. */
function findBelow(path: string): HostDevice[] {
  return lstatOrNone(path)?.isSymbolicLink() ? [] : findDevices(path);
}

function toDevice(path: string, facts: Stats): HostDevice[] {
  const type = facts.isCharacterDevice() ? 'c' : facts.isBlockDevice() ? 'b' : undefined;
  if (type === undefined) return [];
  const { major, minor } = numbersOf(facts.rdev);
  return [{ type, path, major, minor, fileMode: facts.mode & 0o7777, uid: facts.uid, gid: facts.gid }];
}

/** makedev(3): 12 bits of the major number, 20 of the minor one. */
const numbersOf = (device: number) => ({ major: (device >>> 8) & 0xfff, minor: (device & 0xff) | ((device >>> 12) & 0xfff00) });

function lstatOrNone(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
