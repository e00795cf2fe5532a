import type { ProbeAttempt } from './probe-attempt.js';
import type { ProbeType } from './probe-state.js';

/** What a probe counts as, and what there is to tell about it. */
export interface ProbeVerdict {
  /** Undefined if nothing was found out: such a probe does not count. */
  result: 'Success' | 'Failure' | undefined;
  event?: { reason: 'Unhealthy' | 'ProbeWarning'; message: string };
}

/** An attempt that errs is made again at once, up to so many in all. */
const mostAttempts = 3;

/** The first attempt that has a result, or the last one. */
export async function repeatOnError(attempt: () => Promise<ProbeAttempt>): Promise<ProbeAttempt> {
  for (let made = 1; ; made++) {
    const outcome = await attempt();
    if (outcome.error === undefined || made === mostAttempts) return outcome;
  }
}

/** What the attempt counts as, with the kubelet's events. */
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
