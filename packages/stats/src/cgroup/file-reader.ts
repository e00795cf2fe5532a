import { closeSync, constants, openSync, readSync } from 'node:fs';
import { errorCode } from '@nodeagent/api';
import { type KernelFile, singleValue } from './kernel-file.js';

/** Reads kernel files into one buffer; a result is valid until the next read. */
export interface FileReader {
  /**
   * Reads the ASCII file `name` in the folder `path` below `mount`. Undefined if the mount, folder or file is missing; an unreadable file is
   * empty. Lists need `inParts`, because the kernel returns them in several reads.
   */
  read(mount: string | undefined, path: string, name: string, inParts?: boolean): KernelFile | undefined;
}

const firstSize = 16 * 1024;
/** Maximum length of a path in Linux, including the terminating zero. */
const longestPath = 4096;
const slash = 47;
const unreadable: KernelFile = { bytes: Buffer.alloc(0), length: 0 };
/** Errors of a missing file or cgroup; the kernel returns ENODEV for an open file whose cgroup was removed. */
const absent = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ESRCH', 'ENAMETOOLONG']);

/**
 * Creates a {@link FileReader}. Reads are synchronous, because these files are in memory and asynchronous reads of thousands of them would
 * cost more. Paths are assembled in one buffer, because strings would cause half of a pass's garbage.
 */
export function createFileReader(): FileReader {
  const file: { bytes: Buffer; length: number } = { bytes: Buffer.allocUnsafe(firstSize), length: 0 };
  /** Larger than the maximum path, so that every valid path fits. */
  const whole = Buffer.allocUnsafe(2 * longestPath);
  /** The first bytes of `whole`, by their number. */
  const parts: Buffer[] = [];
  let [lastMount, lastPath, folderLength] = ['', '', 0];

  const pathOf = (mount: string, path: string, name: string): Buffer | string => {
    if (mount !== lastMount || path !== lastPath) {
      const mountLength = whole.write(mount);
      folderLength = mountLength + whole.write(path, mountLength);
      lastMount = mount;
      lastPath = path;
    }
    const length = folderLength + 1 + name.length;
    if (length >= longestPath) return `${mount}${path}/${name}`;
    whole[folderLength] = slash;
    for (let index = 0; index < name.length; index++) whole[folderLength + 1 + index] = name.charCodeAt(index);
    parts[length] ??= whole.subarray(0, length);
    return parts[length];
  };

  const fill = (descriptor: number, inParts: boolean): void => {
    file.length = readSync(descriptor, file.bytes, 0, file.bytes.length, null);
    let isMore = file.length === file.bytes.length || (inParts && file.length > 0);
    while (isMore) {
      if (file.length === file.bytes.length) file.bytes = Buffer.concat([file.bytes], 2 * file.bytes.length);
      const count = readSync(descriptor, file.bytes, file.length, file.bytes.length - file.length, null);
      file.length += count;
      isMore = count > 0;
    }
  };

  return {
    read(mount, path, name, inParts = false) {
      if (mount === undefined) return undefined;
      let descriptor: number | undefined;
      try {
        descriptor = openSync(pathOf(mount, path, name), constants.O_RDONLY);
        fill(descriptor, inParts);
        return file;
      } catch (error) {
        return absent.has(errorCode(error) ?? '') ? undefined : unreadable;
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
      }
    },
  };
}

/** Reads a file that contains a single number; undefined if it does not. */
export function readValue(files: FileReader, mount: string | undefined, path: string, name: string): bigint | undefined {
  const file = files.read(mount, path, name);
  return file && singleValue(file);
}
