/**
 * Plans which images to remove from a full disk, with the kubelet's thresholds, and removes none.
 *
 *     node_modules/.bin/tsx examples/plan-image-gc/main.ts
 */
import { planImageGc } from '@nodeagent/image-gc/decisions';

const hours = 3_600_000;
const plan = planImageGc({
  now: 48 * hours,
  records: [
    { id: 'nginx:1', size: 2e9, firstDetected: 0, lastUsed: 5 * hours },
    { id: 'nginx:2', size: 3e9, firstDetected: 24 * hours },
    { id: 'redis:7', size: 1e9, firstDetected: 0, lastUsed: 40 * hours },
  ],
  inUse: ['nginx:2'],
  imageFs: { capacityBytes: 10e9, availableBytes: 1e9 },
});
console.log(`${plan.usage?.usagePercent} % used`);
for (const { action, id, reason } of plan.images) console.log(action, id, reason);
