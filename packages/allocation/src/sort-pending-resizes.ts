import type { Pod } from '@nodeagent/api';
import { podQosClass } from '@nodeagent/api/helpers';
import { requestedResources } from './node-resources.js';

/** A pod with a pending resize. */
export interface PendingResize {
  /** The pod with the requested resources. */
  pod: Pod;
  /** The pod with its allocated resources. */
  allocated: Pod;
  /** Since when it is pending, in clock milliseconds; undefined before its first decision. */
  since: number | undefined;
}

/**
 * The order in which pending resizes are retried: first those that request no more than is allocated, then by pod priority, then Guaranteed
 * pods, then the longest pending ones. Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers".
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

/** Smaller ranks first. */
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
