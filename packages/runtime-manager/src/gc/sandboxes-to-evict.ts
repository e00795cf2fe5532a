import { type ContainerGcInput, isPodRemovable, newestFirst } from './containers-to-evict.js';

export interface GcSandbox {
  id: string;
  podUid: string;
  ready: boolean;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
}

export interface SandboxGcInput extends Pick<ContainerGcInput, 'pods' | 'evictNonDeletedPods'> {
  sandboxes: readonly GcSandbox[];
  /** Sandboxes with at least one container, in any state. */
  usedSandboxIds: ReadonlySet<string>;
}

/** A sandbox to remove, and why. */
export interface SandboxToEvict {
  id: string;
  podUid: string;
  reason: string;
}

/** Which sandboxes to remove: those that are not ready and have no container, except the newest one of a pod that has not terminated. */
export function sandboxesToEvict(input: SandboxGcInput): SandboxToEvict[] {
  const pods = new Map<string, GcSandbox[]>();
  for (const sandbox of input.sandboxes) pods.set(sandbox.podUid, [...(pods.get(sandbox.podUid) ?? []), sandbox]);

  return [...pods].flatMap(([podUid, sandboxes]) => {
    const isRemovable = isPodRemovable(input, podUid);
    const candidates = sandboxes.sort(newestFirst).slice(isRemovable ? 0 : 1);
    return candidates
      .filter(({ id, ready }) => !ready && !input.usedSandboxIds.has(id))
      .map(({ id }) => ({ id, podUid, reason: isRemovable ? 'its pod has terminated' : 'its pod has a newer sandbox' }))
      .reverse();
  });
}
