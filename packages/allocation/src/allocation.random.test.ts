import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createAllocationManager } from './allocation-manager.js';
import { requestedResources, usedResources } from './node-resources.js';
import { podWith } from './test-pods.js';

const capacity = 4000n;

it.each(Array.from({ length: 30 }, (_, index) => index + 1))(
  'never allocates more than the node has, and defers no resize that fits (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const pods = new Map<string, Pod>();
    const synced = new Set<string>();
    const manager = createAllocationManager({
      activePods: () => [...pods.values()],
      nodeAllocatable: () => ({ cpu: `${capacity}m`, memory: '64Gi' }),
      syncPod: (uid) => synced.add(uid),
      clock: createVirtualClock(),
    });
    const granted = () => Array.from(pods.values(), manager.updatePodFromAllocation);

    for (let step = 0; step < 200; step++) {
      const name = `p${below(8)}`;
      const old = pods.get(name);
      const pod = podWith(name, `${below(13) * 100}m`, '64Mi', { priority: below(3) });
      if (old === undefined) {
        const first = podWith(name, '100m');
        if (usedResources(granted()).milliCpu + 100n > capacity) continue;
        pods.set(name, first);
        await manager.addPod(first);
      } else if (random() < 0.2) {
        pods.delete(name);
        manager.removePod(podUid(old));
        await manager.retryPendingResizes('pods_removed');
      } else {
        pods.set(name, pod);
        const before = manager.resizeConditions(podUid(pod)).length;
        const waits = manager.pushPendingResize(pod);
        await manager.retryPendingResizes('pod_updated');
        if (waits && before === 0) expect(synced).toContain(podUid(pod));
      }

      const used = usedResources(granted()).milliCpu;
      expect(used).toBeLessThanOrEqual(capacity);
      for (const { podUid: uid, reason } of manager.pendingResizes()) {
        expect(reason).toBe('Deferred');
        const waiting = [...pods.values()].find((each) => podUid(each) === uid) as Pod;
        const has = requestedResources(manager.updatePodFromAllocation(waiting)).milliCpu;
        expect(used - has + requestedResources(waiting).milliCpu).toBeGreaterThan(capacity);
      }
      for (const each of pods.values()) {
        const isGranted = manager.updatePodFromAllocation(each) === each;
        expect(manager.resizeConditions(podUid(each))).toHaveLength(isGranted ? 0 : 1);
      }
    }
  },
);
