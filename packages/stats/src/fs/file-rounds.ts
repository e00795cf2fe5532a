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

/**
 * Creates {@link FileRound}s. A call to a hanging file system, such as a network mount whose server is unreachable, blocks a thread of the
 * process. Later rounds therefore neither repeat a pending call nor wait for it.
 */
export function createFileRounds({ clock, logger, timeoutMs }: { clock: Clock; logger: Logger; timeoutMs: number }): () => FileRound {
  const open = new Set<string>();
  return () => {
    const own = new Set<string>();
    let isOver = false;
    let finish = () => {};
    let failure: { error: unknown } | undefined;
    return {
      ask(key, ask, onAnswer, required = false) {
        if (open.has(key)) return;
        open.add(key);
        own.add(key);
        const settled = (report: () => unknown) => {
          open.delete(key);
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
          logger.warn({ paths: [...own], timeoutMs }, `file systems do not answer: ${[...own].join(', ')}`);
        } finally {
          isOver = true;
        }
        if (failure !== undefined) throw failure.error;
      },
    };
  };
}
