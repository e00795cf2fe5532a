import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorMessage } from '@nodeagent/api';
import { unknownError } from '../errors.js';
import { monitorFiles } from './conmon-arguments.js';

/** Command 2 of conmon's control pipe; the two sizes have no meaning for it. */
const reopenLogs = '2 0 0\n';

/** Has conmon open the log at its path again, after a rotation renamed the file. Rejects if conmon does not run. */
export async function reopenLog(bundle: string): Promise<void> {
  const { control } = monitorFiles(bundle);
  // Without O_NONBLOCK a pipe without a reader would block one of Node's threads for files.
  const pipe = await open(control, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unknownError(`cannot reopen the log: conmon does not read ${control}: ${errorMessage(error)}`, error);
  });
  try {
    await pipe.write(reopenLogs);
  } finally {
    await pipe.close();
  }
}
