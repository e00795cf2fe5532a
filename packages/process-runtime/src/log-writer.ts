import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Appends to a container's log file, one write at a time. A caller that awaits `write` before it reads more output applies
 * back-pressure: a slow disk slows the container, and memory use is bounded.
 */
export interface LogWriter {
  /** Never rejects: data that cannot be written is dropped, and `onError` is called for the first failure since the file was opened. */
  write(data: Uint8Array): Promise<void>;
  /** Opens a new file at the same path, after a rotation renamed the old one. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export async function openLog(path: string, onError: (error: unknown) => void): Promise<LogWriter> {
  let file: FileHandle | undefined = await openFile(path);
  let failed = false;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };

  return {
    write: (data) =>
      inTurn(async () => {
        try {
          await file?.writeFile(data);
        } catch (error) {
          if (!failed) onError(error);
          failed = true;
        }
      }),
    reopen: () =>
      inTurn(async () => {
        const next = await openFile(path);
        await file?.close();
        file = next;
        failed = false;
      }),
    close: () =>
      inTurn(async () => {
        await file?.close();
        file = undefined;
      }),
  };
}

/** Without O_NONBLOCK a pipe in the place of the log would block one of Node's threads for files. */
const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

async function openFile(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  return open(path, appendFlags, 0o640);
}
