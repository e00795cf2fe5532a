import { constants, lstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Clock, errorMessage } from '@nodeagent/api';
import type { TerminalSize } from '@nodeagent/streaming';
import { unknownError } from '../errors.js';
import { monitorFiles } from './conmon-arguments.js';

/** Commands to conmon, through the pipe `ctl` of a container's folder. All reject if conmon does not run. */
export interface MonitorControl {
  /** conmon opens the log at its path again, after a rotation renamed the file: it replaces a file that is there. Resolves when it has. */
  reopenLog(bundle: string, logPath: string): Promise<void>;
  /** Sets the size of the container's terminal; of several sizes the last one. */
  resizeTerminal(bundle: string, size: TerminalSize): Promise<void>;
}

/** Commands 1 and 2 of conmon; the two sizes of the latter have no meaning. */
const resizeCommand = ({ Height, Width }: TerminalSize) => `1 ${Height} ${Width}\n`;
const reopenCommand = '2 0 0\n';

/**
 * conmon before 2.2 obeys only the first of the commands that it reads at once. So they have this distance, and as a busy machine may delay conmon
 * longer, they are repeated: the size of a terminal once, the other until it is obeyed.
 */
const commandGapMs = 20;
const repeatMs = 1_000;
const pollMs = 5;
const reopenTimeoutMs = 5_000;

export function createMonitorControl(clock: Clock): MonitorControl {
  /** The last command for each container: they run one after the other. */
  const turns = new Map<string, Promise<void>>();
  /** The newest size of each terminal, until it is repeated. */
  const sizes = new Map<string, TerminalSize>();
  /** The terminals whose newest size is not sent yet. */
  const waiting = new Set<string>();

  function send(bundle: string, command: () => string): Promise<void> {
    const written = (turns.get(bundle) ?? Promise.resolve()).then(() => write(bundle, command()));
    const turn = written
      .catch(() => {})
      .then(() => clock.sleep(commandGapMs))
      .then(() => {
        if (turns.get(bundle) === turn) turns.delete(bundle);
      });
    turns.set(bundle, turn);
    return written;
  }

  function sendSize(bundle: string, size: TerminalSize): Promise<void> {
    waiting.add(bundle);
    return send(bundle, () => {
      waiting.delete(bundle);
      return resizeCommand(sizes.get(bundle) ?? size);
    });
  }

  async function repeatSize(bundle: string, size: TerminalSize): Promise<void> {
    await clock.sleep(repeatMs);
    if (sizes.get(bundle) !== size) return;
    await sendSize(bundle, size);
    if (sizes.get(bundle) === size) sizes.delete(bundle);
  }

  return {
    async reopenLog(bundle, logPath) {
      const before = inodeOf(logPath);
      const limit = clock.monotonic() + reopenTimeoutMs;
      for (let repeatAt = 0; ; ) {
        if (clock.monotonic() >= repeatAt) {
          await send(bundle, () => reopenCommand);
          repeatAt = clock.monotonic() + repeatMs;
        }
        const now = inodeOf(logPath);
        if (now !== undefined && now !== before) return;
        if (clock.monotonic() >= limit) throw unknownError(`conmon has not created ${logPath} within ${reopenTimeoutMs} ms`);
        await clock.sleep(pollMs);
      }
    },
    async resizeTerminal(bundle, size) {
      sizes.set(bundle, size);
      if (!waiting.has(bundle)) await sendSize(bundle, size);
      void repeatSize(bundle, size).catch(() => sizes.delete(bundle));
    },
  };
}

const inodeOf = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

async function write(bundle: string, command: string): Promise<void> {
  const { control } = monitorFiles(bundle);
  // Without O_NONBLOCK a pipe without a reader would block one of Node's threads for files.
  const pipe = await open(control, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unknownError(`conmon does not read ${control}: ${errorMessage(error)}`, error);
  });
  try {
    await pipe.write(command);
  } finally {
    await pipe.close();
  }
}
