import type { PodStatus, StatusVersions, VersionedPodStatus } from '@nodeagent/api';

/** The statuses of a status manager, set by the suite. Entries are frozen: a modification throws. */
export interface MemoryStatuses extends StatusVersions {
  /** Stores the status as the pod's newest version. */
  set(podName: string, status: PodStatus): void;
  /** UIDs of removed statuses. */
  readonly forgotten: readonly string[];
}

export function createMemoryStatuses(now: () => number): MemoryStatuses {
  const entries = new Map<string, VersionedPodStatus>();
  const forgotten: string[] = [];
  return {
    forgotten,
    versionedStatus: (uid) => entries.get(uid),
    versionedStatuses: () => entries.entries(),
    forgetPodStatus(uid) {
      forgotten.push(uid);
      entries.delete(uid);
    },
    set(podName, status) {
      const before = entries.get(podName);
      const { version = 0, at = now() } = before ?? {};
      const entry = { status, version: version + 1, podName, podNamespace: 'compliance', at, podIsFinished: false };
      entries.set(podName, deepFreeze(entry));
    },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) deepFreeze(each);
    Object.freeze(value);
  }
  return value;
}
