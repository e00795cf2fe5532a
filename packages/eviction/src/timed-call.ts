import { abandonAtDeadline, type Clock } from '@nodeagent/api';
import { timedOut } from './errors.js';

/** Limits of a call to another subsystem. */
export interface CallLimits {
  clock: Clock;
  timeoutMs: number;
  /** Names the call in the error. */
  what: string;
  signal: AbortSignal;
}

/** Calls another subsystem, and does not wait for a call that ignores its signal. Rejects with `EvictionTimeout`. */
export function timedCall<T>({ what, timeoutMs, ...limits }: CallLimits, call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  return abandonAtDeadline({ ...limits, timeoutMs, error: () => timedOut(what, timeoutMs) }, call);
}
