import { type ContainerGcInput, isPodOver, newestFirst } from './containers-to-evict.js';

export interface GcSandbox {
  id: string;
  podUid: string;
  ready: boolean;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
}

export interface SandboxGcInput extends Pick<ContainerGcInput, 'pods' | 'evictNonDeletedPods'> {
  sandboxes: readonly GcSandbox[];
  /** Sandboxes that any container belongs to, in whatever state. */
  usedSandboxIds: ReadonlySet<string>;
}

/** A sandbox to remove, and why. */
export interface SandboxToEvict {
  id: string;
  podUid: string;
  reason: string;
}

/** Which sandboxes to remove: those without containers that are not ready, but for a living pod's newest one. */
export function sandboxesToEvict(input: SandboxGcInput): SandboxToEvict[] {
  const pods = new Map<string, GcSandbox[]>();
  for (const sandbox of input.sandboxes) pods.set(sandbox.podUid, [...(pods.get(sandbox.podUid) ?? []), sandbox]);

  return [...pods].flatMap(([podUid, sandboxes]) => {
    const over = isPodOver(input, podUid);
    const candidates = sandboxes.sort(newestFirst).slice(over ? 0 : 1);
    return candidates
      .filter(({ id, ready }) => !ready && !input.usedSandboxIds.has(id))
      .map(({ id }) => ({ id, podUid, reason: over ? 'its pod is over' : 'its pod has a newer sandbox' }))
      .reverse();
  });
}
