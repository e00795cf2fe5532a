import { type Pod, podQosClass } from '@nodeagent/api';
import { requestedResources } from './node-resources.js';

/** A pod that waits to be resized. */
export interface PendingResize {
  /** With the resources it asks for. */
  pod: Pod;
  /** The same pod with the resources it was granted. */
  allocated: Pod;
  /** Since when it is known to wait, in clock milliseconds; undefined if it was not looked at yet. */
  since: number | undefined;
}

/**
 * The order in which waiting resizes are tried: those first that ask for no more than the pod has, then by the pods' priority, Guaranteed
 * pods before others, and those that wait longest. Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers".
 */
export function sortPendingResizes<P extends PendingResize>(pending: readonly P[]): P[] {
  const ranked = pending.map((resize) => ({ resize, rank: rankOf(resize) }));
  ranked.sort((a, b) => {
    for (const [index, value] of a.rank.entries()) {
      const difference = value - (b.rank[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return ranked.map(({ resize }) => resize);
}

/** Smaller goes first. */
function rankOf({ pod, allocated, since }: PendingResize): number[] {
  return [
    increasesRequests(pod, allocated) ? 1 : 0,
    -(pod.spec?.priority ?? 0),
    podQosClass(pod) === 'Guaranteed' ? 0 : 1,
    since ?? Number.MAX_SAFE_INTEGER,
  ];
}

function increasesRequests(pod: Pod, allocated: Pod): boolean {
  const [wanted, granted] = [requestedResources(pod), requestedResources(allocated)];
  return wanted.milliCpu > granted.milliCpu || wanted.memoryBytes > granted.memoryBytes;
}
