import { findPodCondition } from '@nodeagent/api/helpers';
import type { Draft } from './pod-explanation.js';
import type { PodFacts } from './pod-facts.js';
import { ago, cause, named } from './texts.js';

/** A pod that has no node yet, or whose node has not reported it. */
export function beforeStart(facts: PodFacts): Draft | undefined {
  const { pod, status, subject, node, now, lastEvent } = facts;
  if (pod.spec?.nodeName || status.startTime || (status.containerStatuses?.length ?? 0) > 0) {
    const isReported = status.startTime || status.containerStatuses || status.initContainerStatuses || status.phase === 'Running';
    if (isReported) return undefined;
    return {
      state: 'scheduled',
      severity: 'busy',
      reason: 'Scheduled',
      next: 'start',
      text: `${subject} is scheduled to ${node}, which has not reported its status yet`,
    };
  }
  if (status.phase === 'Running') return undefined;
  const scheduled = findPodCondition(status, 'PodScheduled');
  const gates = (pod.spec?.schedulingGates ?? []).map(({ name = '' }) => name);
  if (gates.length > 0 || scheduled?.reason === 'SchedulingGated') {
    const what = gates.length > 0 ? named('scheduling gate', gates) : 'its scheduling gates';
    return {
      state: 'gated',
      severity: 'busy',
      reason: 'SchedulingGated',
      text: `${subject} is scheduled once ${what} ${gates.length === 1 ? 'is' : 'are'} removed`,
      facts: { gates },
    };
  }
  const failed = lastEvent(['FailedScheduling']);
  const message = failed?.message || scheduled?.message;
  const nominated = status.nominatedNodeName;
  const waits = nominated ? `waits until pods of lower priority on node ${nominated} have terminated` : 'is not scheduled';
  return {
    state: 'unscheduled',
    severity: message && !nominated ? 'error' : 'busy',
    reason: failed?.reason ?? scheduled?.reason,
    next: 'schedule',
    text: `${subject} ${waits}${failed?.at ? ` (last attempt${ago(failed.at, now)})` : ''}${cause(message)}`,
    facts: { attempts: failed?.count, lastAttemptAt: failed?.at || undefined, nominatedNode: nominated },
  };
}
