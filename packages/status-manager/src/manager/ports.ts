import type { Pod } from '@nodeagent/api';

/** Looks up pods in memory; implemented by a pod manager. */
export interface PodLookup {
  podByUid(uid: string): Pod | undefined;
  /** The API server's mirror of a static pod. */
  mirrorPodByPod(pod: Pod): Pod | undefined;
  /** Translates a mirror pod's UID to that of its static pod; returns any other UID unchanged. */
  translatePodUid(uid: string): string;
}
