import { NodeAgentError, onAbort } from '@nodeagent/api';
import { coreErrorCodes } from './errors.js';

export interface StartStopOptions {
  /** Aborted by the stop itself. */
  ended: AbortSignal;
  startParts(): Promise<void>;
  /** Called once. `started` settles when a start in progress has finished; it never rejects. */
  stopParts(reason: unknown, started: Promise<void> | undefined): Promise<void>;
}

/** An agent's start and stop. Both are idempotent; a failed start may be retried, a stop is final. */
export interface StartStop {
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export function createStartStop({ ended, startParts, stopParts }: StartStopOptions): StartStop {
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (reason: unknown) => {
    stopped ??= stopParts(
      reason,
      started?.catch(() => {}),
    );
    return stopped;
  };
  return {
    start(signal) {
      if (stopped) return Promise.reject(stoppedError());
      if (signal?.aborted) return Promise.reject(signal.reason);
      onAbort(signal, (reason) => void stop(reason), ended);
      started ??= startParts().catch((error) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    stop: () => stop(stoppedError()),
  };
}

const stoppedError = () => new NodeAgentError(coreErrorCodes.stopped, 'the agent was stopped');
