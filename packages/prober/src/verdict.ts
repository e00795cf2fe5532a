import type { ProbeAttempt } from './probe-attempt.js';
import type { ProbeType } from './probe-state.js';

/** The result of a probe with its event. */
export interface ProbeVerdict {
  /** Undefined if there is no result; such a probe does not count. */
  result: 'Success' | 'Failure' | undefined;
  event?: { reason: 'Unhealthy' | 'ProbeWarning'; message: string };
}

/** Maximum number of attempts; one with an error is retried immediately. */
const maxAttempts = 3;

/** The first attempt with a result, or the last one. */
export async function repeatOnError(attempt: () => Promise<ProbeAttempt>): Promise<ProbeAttempt> {
  for (let made = 1; ; made++) {
    const outcome = await attempt();
    if (outcome.error === undefined || made === maxAttempts) return outcome;
  }
}

/** The result of the attempt, with the kubelet's event. */
export function probeVerdict(type: ProbeType, { result, output, error }: ProbeAttempt): ProbeVerdict {
  if (error !== undefined) {
    const message = `${type} probe errored and resulted in ${result} state: ${error}`;
    return { result: undefined, event: { reason: 'Unhealthy', message } };
  }
  if (result === 'success') return { result: 'Success' };
  if (result === 'warning') return { result: 'Success', event: { reason: 'ProbeWarning', message: `${type} probe warning: ${output}` } };
  if (result === 'unknown') return { result: 'Failure' };
  return { result: 'Failure', event: { reason: 'Unhealthy', message: `${type} probe failed: ${output}` } };
}
