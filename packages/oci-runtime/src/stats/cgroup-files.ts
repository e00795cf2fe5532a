import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a file of a cgroup; undefined if it does not exist. The controller is the hierarchy of cgroup v1. */
export type ReadCgroupFile = (controller: string, file: string) => string | undefined;

/** @param path - from the root of the hierarchy, with a leading `/` */
export function cgroupFiles(path: string, version: 1 | 2, mountPoint: string): ReadCgroupFile {
  return (controller, file) => {
    try {
      return readFileSync(join(mountPoint, version === 1 ? controller : '', path, file), 'utf8');
    } catch {
      return undefined;
    }
  };
}

/** The number in a file; undefined for another text, such as `max`. */
export function numberIn(text: string | undefined): bigint | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+$/.test(trimmed) ? BigInt(trimmed) : undefined;
}

/** The values of a file with a name and a number in each line. */
export function valuesOf(text: string): Map<string, bigint> {
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Map(lines.flatMap(([name = '', value = '']) => (/^\d+$/.test(value) ? [[name, BigInt(value)] as const] : [])));
}

/** Without the members that are undefined. */
export function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
