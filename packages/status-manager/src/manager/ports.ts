import type { Pod } from '@nodeagent/api';

/** Where the status manager looks up pods: a pod manager, or whatever knows them. Answers are from memory. */
export interface PodLookup {
  podByUid(uid: string): Pod | undefined;
  /** The API server's mirror of a static pod. */
  mirrorPodByPod(pod: Pod): Pod | undefined;
  /** A mirror's UID becomes that of its static pod; any other stays. */
  translatePodUid(uid: string): string;
}
