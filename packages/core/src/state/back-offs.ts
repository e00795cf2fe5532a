import { errorCode, type PodSyncResult } from '@nodeagent/api';

/** A container whose start or image pull is delayed. */
export interface ContainerBackOff {
  container: string;
  /** `CrashLoopBackOff` or `ImagePullBackOff`. */
  reason: string;
  /** End of the back-off, milliseconds since 1970. The first sync from then on retries. */
  until: number;
}

/** The back-offs of a sync's result, in the order of the containers. */
export function backOffsOf({ results }: Pick<PodSyncResult, 'results'>): ContainerBackOff[] {
  return results.flatMap(({ target, error }) => {
    const reason = errorCode(error);
    const expiry = (error as { details?: { expiry?: unknown } } | undefined)?.details?.expiry;
    return reason !== undefined && typeof expiry === 'number' ? [{ container: target, reason, until: expiry }] : [];
  });
}

/** The back-offs of each pod's last sync. */
export interface BackOffs {
  update(podUid: string, result: Pick<PodSyncResult, 'results'>): void;
  get(podUid: string): readonly ContainerBackOff[];
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

export function createBackOffs(): BackOffs {
  const met = new Map<string, ContainerBackOff[]>();
  return {
    update(podUid, result) {
      const backOffs = backOffsOf(result);
      if (backOffs.length > 0) met.set(podUid, backOffs);
      else met.delete(podUid);
    },
    get: (podUid) => met.get(podUid) ?? [],
    retain(known) {
      for (const uid of met.keys()) if (!known.has(uid)) met.delete(uid);
    },
  };
}
