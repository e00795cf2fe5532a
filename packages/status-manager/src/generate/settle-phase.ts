import type { PodStatus } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';
import { activeDeadlineExceeded } from './active-deadline.js';
import type { GenerateStatusInput } from './status-input.js';

/** The reported phase: a terminal phase never changes, and evict handlers can set Failed. */
export function settlePhase(
  computed: string,
  oldStatus: PodStatus,
  { pod, now, evictHandlers = [activeDeadlineExceeded], oldStatus: cached }: GenerateStatusInput,
): Pick<PodStatus, 'phase' | 'reason' | 'message'> {
  const settled: Pick<PodStatus, 'phase' | 'reason' | 'message'> = { phase: computed };
  if (!isTerminalPhase(computed)) {
    settled.phase = [oldStatus.phase, pod.status?.phase].find(isTerminalPhase) ?? computed;
  }
  if (settled.phase === oldStatus.phase) {
    const reason = oldStatus.reason || pod.status?.reason;
    const message = oldStatus.message || pod.status?.message;
    if (reason) settled.reason = reason;
    if (message) settled.message = message;
  }
  for (const handler of evictHandlers) {
    const eviction = handler(pod, cached, now);
    if (eviction === undefined) continue;
    Object.assign(settled, { phase: 'Failed', reason: eviction.reason, message: eviction.message });
    break;
  }
  if (isTerminalPhase(pod.status?.phase)) settled.phase = pod.status?.phase;
  return settled;
}
