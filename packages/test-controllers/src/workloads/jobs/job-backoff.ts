import type { Pod } from '@nodeagent/api';
import { findPodCondition, parseTime } from '@nodeagent/api/helpers';

const firstBackoffMs = 10_000;
const longestBackoffMs = 600_000;

/** When the pod terminated: by its containers, its condition Ready, its deletion or its creation, in milliseconds since 1970. */
export function finishedAt({ metadata, status }: Pod): number {
  const times = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt));
  if (times.length > 0 && times.every((time) => time !== undefined)) return Math.max(...times);
  const ready = findPodCondition(status, 'Ready');
  const notReadySince = ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined;
  const deletion = parseTime(metadata?.deletionTimestamp);
  const deletedAt = deletion === undefined ? undefined : deletion - (metadata?.deletionGracePeriodSeconds ?? 0) * 1_000;
  return notReadySince ?? deletedAt ?? parseTime(metadata?.creationTimestamp) ?? 0;
}

/** When failed pods may be replaced: the delay doubles with each failure in succession. Undefined without failures. */
export function backoffEnd(failures: number, lastFailure: number): number | undefined {
  return failures === 0 ? undefined : lastFailure + Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failures - 1));
}

/** The failures of a job since its last success. */
export interface JobBackoff {
  failures: number;
  /** When the last of them terminated, in milliseconds since 1970. */
  lastFailure: number;
}

/** The record after more pods have terminated. `before` remembers pods that are deleted; a success resets it. */
export function nextBackoff(before: JobBackoff, failed: readonly Pod[], succeeded: readonly Pod[]): JobBackoff {
  const { failures, lastFailure } = succeeded.length > 0 ? { failures: 0, lastFailure: 0 } : before;
  const lastSuccess = Math.max(0, ...succeeded.map(finishedAt));
  const times = failed.map(finishedAt).filter((time) => time > lastSuccess);
  return times.length === 0 ? { failures, lastFailure } : { failures: failures + times.length, lastFailure: Math.max(...times) };
}

export const noFailures: JobBackoff = { failures: 0, lastFailure: 0 };
