import type { Pod, VersionedPodStatus } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** What the sink has sent of each pod, and what the API server answered. By the pod's UID in the API server. */
export interface SentStatuses {
  /** The informer's copy of a pod, or the last answer if that is newer. */
  newest(local: Pod): Pod;
  isSent(apiUid: string, entry: VersionedPodStatus): boolean;
  markSent(apiUid: string, entry: VersionedPodStatus): void;
  /** The status must be compared with the API server's again. */
  markUnsent(apiUid: string): void;
  /** Whether the last patch may have been carried out without an answer: the status in the API server is unknown. */
  isUnanswered(apiUid: string): boolean;
  markUnanswered(apiUid: string): void;
  /** Records the answer to a patch or a read; undefined if the pod does not exist. */
  receive(apiUid: string, answer: Pod | undefined): void;
  forget(apiUid: string): void;
}

export function createSentStatuses(): SentStatuses {
  const sent = new Map<string, VersionedPodStatus>();
  const answers = new Map<string, Pod>();
  const unanswered = new Set<string>();

  return {
    newest(local) {
      const answer = answers.get(podUid(local));
      if (answer && isNewer(answer, local)) return answer;
      answers.delete(podUid(local));
      return local;
    },
    isSent: (apiUid, entry) => sent.get(apiUid) === entry,
    markSent: (apiUid, entry) => void sent.set(apiUid, entry),
    markUnsent: (apiUid) => void sent.delete(apiUid),
    isUnanswered: (apiUid) => unanswered.has(apiUid),
    markUnanswered: (apiUid) => void unanswered.add(apiUid),
    receive(apiUid, answer) {
      unanswered.delete(apiUid);
      if (answer !== undefined) answers.set(apiUid, answer);
    },
    forget(apiUid) {
      for (const known of [sent, answers, unanswered]) known.delete(apiUid);
    },
  };
}

/** Whether `a` is newer than `b`; resource versions are increasing integers (KEP-5504). */
function isNewer(a: Pod, b: Pod): boolean {
  const [first, second] = [a.metadata?.resourceVersion ?? '', b.metadata?.resourceVersion ?? ''];
  const isNumber = /^\d+$/;
  return isNumber.test(first) && isNumber.test(second) && BigInt(first) > BigInt(second);
}
