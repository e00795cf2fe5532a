import { abandonAtDeadline, type Clock, errorCode, type Logger } from '@nodeagent/api';
import { deadlineExceeded, statsErrorCodes } from '../errors.js';

/** One round of concurrent file-system calls. */
export interface FileRound {
  /**
   * Runs `ask` unless a call of an earlier round with this key is still pending. An error is logged and the answer stays unknown; with
   * `required` the error fails the round.
   */
  ask<T>(key: string, ask: () => Promise<T | undefined>, onAnswer: (answer: T) => void, required?: boolean): void;
  /** Resolves when all calls have ended or the timeout expires. Answers that arrive later are ignored. */
  end(signal: AbortSignal): Promise<void>;
}

/** A call that takes longer hangs. A busy machine makes calls wait for seconds, for there are few threads for them. */
const hangsAfterMs = 30_000;

/** The most paths in one line of the log. */
const namedPaths = 3;

/** A call that has not ended. */
interface PendingCall {
  /** On the monotonic clock. */
  beganAt: number;
  /** Whether the log has that it hangs. */
  isReported: boolean;
}

/**
 * Creates {@link FileRound}s. A call to a hanging file system, such as a network mount whose server is unreachable, blocks a thread of the
 * process. Later rounds therefore neither repeat a pending call nor wait for it. The log has once that a call hangs for 30 s.
 */
export function createFileRounds({ clock, logger, timeoutMs }: { clock: Clock; logger: Logger; timeoutMs: number }): () => FileRound {
  const pending = new Map<string, PendingCall>();

  function ended(key: string): void {
    const wasReported = pending.get(key)?.isReported;
    pending.delete(key);
    if (wasReported && ![...pending.values()].some(({ isReported }) => isReported)) logger.info('the file systems answer again');
  }

  function reportHanging(): void {
    const hanging = [...pending].filter(([, { beganAt, isReported }]) => !isReported && clock.monotonic() - beganAt >= hangsAfterMs);
    if (hanging.length === 0) return;
    for (const [, call] of hanging) call.isReported = true;
    const paths = hanging.slice(0, namedPaths).map(([key]) => key);
    const others = hanging.length > paths.length ? ` and ${hanging.length - paths.length} more` : '';
    logger.warn({ paths, count: hanging.length }, `file systems do not answer: ${paths.join(', ')}${others}`);
  }

  return () => {
    const own = new Set<string>();
    let isOver = false;
    let finish = () => {};
    let failure: { error: unknown } | undefined;
    return {
      ask(key, ask, onAnswer, required = false) {
        if (pending.has(key)) return;
        pending.set(key, { beganAt: clock.monotonic(), isReported: false });
        own.add(key);
        const settled = (report: () => unknown) => {
          ended(key);
          own.delete(key);
          if (isOver) return;
          report();
          if (own.size === 0) finish();
        };
        const failed = (error: unknown) => {
          if (required) failure ??= { error };
          else logger.warn({ path: key, err: error }, `failed to get usage of ${key}`);
        };
        ask().then(
          (answer) => settled(() => answer !== undefined && onAnswer(answer)),
          (error: unknown) => settled(() => failed(error)),
        );
      },

      async end(signal) {
        try {
          const finished = () =>
            new Promise<void>((resolve) => {
              finish = resolve;
            });
          const error = () => deadlineExceeded('file systems', timeoutMs);
          if (own.size > 0) await abandonAtDeadline({ clock, timeoutMs, signal, error }, finished);
        } catch (error) {
          if (errorCode(error) !== statsErrorCodes.deadlineExceeded) throw error;
          logger.debug({ pending: own.size, timeoutMs }, 'the summary is without the files that were not measured in time');
        } finally {
          isOver = true;
        }
        reportHanging();
        if (failure !== undefined) throw failure.error;
      },
    };
  };
}
