import { NodeAgentError, onAbort } from '@nodeagent/api';
import { coreErrorCodes } from './errors.js';

export interface AgentLifeOptions {
  /** Aborted by the end itself. */
  ended: AbortSignal;
  begin(): Promise<void>;
  /** Is called once. `started` settles when a start that is under way is over; it never rejects. */
  end(reason: unknown, started: Promise<void> | undefined): Promise<void>;
}

/** An agent's start and end, each once however often it is asked for; a start that failed may be tried again, an end is the end. */
export interface AgentLife {
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export function createAgentLife({ ended, begin, end }: AgentLifeOptions): AgentLife {
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (reason: unknown) => {
    stopped ??= end(
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
      started ??= begin().catch((error) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    stop: () => stop(stoppedError()),
  };
}

const stoppedError = () => new NodeAgentError(coreErrorCodes.stopped, 'the agent was stopped');
