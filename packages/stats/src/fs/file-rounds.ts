import { abandonAtDeadline, type Clock, errorCode, type Logger } from '@nodeagent/api';
import { deadlineExceeded, statsErrorCodes } from '../errors.js';

/** Questions to file systems that are asked side by side. */
export interface FileRound {
  /**
   * Runs `ask` unless the question of an earlier round with this key has no answer yet. An error is logged and means that the answer is
   * unknown; with `required` it fails the round.
   */
  ask<T>(key: string, ask: () => Promise<T | undefined>, onAnswer: (answer: T) => void, required?: boolean): void;
  /** Resolves when every question is answered or the time is over: what is then missing is unknown, and no late answer is heard. */
  end(signal: AbortSignal): Promise<void>;
}

/**
 * Makes {@link FileRound}s. A file system that hangs, such as a network mount whose server is away, holds a thread of the process for
 * each call: a path that did not answer is not asked again before it did, and later rounds do not wait for it.
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
        const settled = (hear: () => unknown) => {
          open.delete(key);
          own.delete(key);
          if (isOver) return;
          hear();
          if (own.size === 0) finish();
        };
        const failed = (error: unknown) => {
          if (required) failure ??= { error };
          else logger.warn({ path: key, err: error }, `no figures of ${key}`);
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
