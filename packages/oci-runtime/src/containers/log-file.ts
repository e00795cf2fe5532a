import { closeSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '@nodeagent/api';
import { failedPrecondition } from '../errors.js';

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Creates a log for conmon, which would follow a link and wait for the reader of a pipe. An existing log is accepted: conmon appends to it.
 *
 * @throws NodeAgentError CRI_FAILED_PRECONDITION for a link, a pipe and others that are no files
 */
export function prepareLog(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  let file: number;
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o640);
  } catch (error) {
    throw failedPrecondition(`cannot open the log ${path}: ${errorMessage(error)}`, { cause: error });
  }
  try {
    if (!fstatSync(file).isFile()) throw noFile(path);
    fchmodSync(file, 0o640);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks the path at which conmon opens a log again, and that of the file that it renames to it. Missing files are accepted.
 *
 * @throws NodeAgentError CRI_FAILED_PRECONDITION for a link, a pipe and others that are no files
 */
export function checkRotatedLog(path: string): void {
  for (const each of [path, `${path}.tmp`]) if (lstatSync(each, { throwIfNoEntry: false })?.isFile() === false) throw noFile(each);
}

const noFile = (path: string) => failedPrecondition(`cannot open the log ${path}: it is no regular file`);
