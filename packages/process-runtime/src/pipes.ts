import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unlinkIfExistsSync } from '@nodeagent/api/files';
import { unknownError } from './errors.js';
import { pipeName } from './pipe-holders.js';

const run = promisify(execFile);

/** One pipe: the write end for the container, as a file descriptor, and the read end. */
interface OutputPipe {
  writeFd: number;
  reader: Socket;
}

/** The pipes of one process. */
export interface OutputPipes {
  stdout: OutputPipe;
  stderr: OutputPipe;
  /** Closes our copies of the write ends; the readers then end when the last process that holds them exits. */
  closeWriters(): void;
  /** Closes both ends, if the process was not started. */
  discard(): void;
}

/**
 * Creates named pipes in `folder`, opens both ends and unlinks them. Node's stdio pipes are sockets, and a program that opens /dev/stdout or
 * /dev/stderr by name fails with those.
 *
 * @param owner - the user that may open them by name; default the runtime's user
 */
export async function makeOutputPipes(folder: string, containerId: string, owner?: { uid: number; gid: number }): Promise<OutputPipes> {
  const unique = randomBytes(8).toString('hex');
  const paths = {
    stdout: join(folder, pipeName(containerId, unique, 'stdout')),
    stderr: join(folder, pipeName(containerId, unique, 'stderr')),
  };
  const opened: number[] = [];
  try {
    await run('mkfifo', ['-m', '600', paths.stdout, paths.stderr]);
    const ends = (path: string) => {
      const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push(readFd);
      if (owner) fchownSync(readFd, owner.uid, owner.gid);
      const writeFd = openSync(path, constants.O_WRONLY);
      opened.push(writeFd);
      return { readFd, writeFd };
    };
    const fds = { stdout: ends(paths.stdout), stderr: ends(paths.stderr) };
    const stdout = toPipe(fds.stdout);
    const stderr = toPipe(fds.stderr);
    const closeWriters = () => {
      closeSync(stdout.writeFd);
      closeSync(stderr.writeFd);
    };
    return {
      stdout,
      stderr,
      closeWriters,
      discard() {
        closeWriters();
        stdout.reader.destroy();
        stderr.reader.destroy();
      },
    };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw unknownError(`cannot create the output pipes with mkfifo: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    unlinkIfExistsSync(paths.stdout);
    unlinkIfExistsSync(paths.stderr);
  }
}

function toPipe({ readFd, writeFd }: { readFd: number; writeFd: number }): OutputPipe {
  return { writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
}
