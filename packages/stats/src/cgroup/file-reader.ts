import { closeSync, constants, openSync, readSync } from 'node:fs';
import { errorCode } from '@nodeagent/api';
import { type KernelFile, singleValue } from './kernel-file.js';

/** Reads files of the kernel into one buffer; what it gives is good until the next read. */
export interface FileReader {
  /**
   * The file's content; undefined if there is none (any more). A file that cannot be read is empty. With `inParts` for files that the
   * kernel gives piece by piece, which are all lists.
   */
  read(path: string, inParts?: boolean): KernelFile | undefined;
}

const firstSize = 16 * 1024;
const unreadable: KernelFile = { bytes: new Uint8Array(), length: 0 };
/** Of a file, or a cgroup, that is gone; the kernel says ENODEV for a file that was open when its cgroup went. */
const absent = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ESRCH']);

/**
 * Makes a {@link FileReader}. Reading is synchronous on purpose: these files are in memory, and waiting for each of thousands costs more
 * than reading them.
 */
export function createFileReader(): FileReader {
  let bytes = Buffer.allocUnsafe(firstSize);

  const fill = (descriptor: number, inParts: boolean): number => {
    let length = readSync(descriptor, bytes, 0, bytes.length, null);
    let isMore = length === bytes.length || (inParts && length > 0);
    while (isMore) {
      if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length);
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      length += count;
      isMore = count > 0;
    }
    return length;
  };

  return {
    read(path, inParts = false) {
      let descriptor: number | undefined;
      try {
        descriptor = openSync(path, constants.O_RDONLY);
        const length = fill(descriptor, inParts);
        return { bytes, length };
      } catch (error) {
        return absent.has(errorCode(error) ?? '') ? undefined : unreadable;
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
      }
    },
  };
}

/** The number that is all of a file; undefined if there is none. */
export function readValue(files: FileReader, path: string): bigint | undefined {
  const file = files.read(path);
  return file && singleValue(file);
}
