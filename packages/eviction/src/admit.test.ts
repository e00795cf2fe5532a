import { expect, it } from 'vitest';
import { admitUnderPressure } from './admit.js';
import { requesting, testPod } from './test-node.js';

const bestEffort = testPod('best-effort');
const tolerant = testPod('tolerant', { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }] });
const burstable = requesting('burstable', '1Mi');
const critical = testPod('critical', { priority: 2_000_001_000 });

it('rejects intolerant BestEffort pods under memory pressure, all pods under other pressure, and never critical pods', () => {
  const admitted = (...conditions: Parameters<typeof admitUnderPressure>[1]) =>
    [bestEffort, tolerant, burstable, critical].filter((pod) => admitUnderPressure(pod, conditions).admit).map((pod) => pod.metadata?.name);
  expect(admitted()).toEqual(['best-effort', 'tolerant', 'burstable', 'critical']);
  expect(admitted('MemoryPressure')).toEqual(['tolerant', 'burstable', 'critical']);
  expect(admitted('DiskPressure')).toEqual(['critical']);
  expect(admitted('MemoryPressure', 'PIDPressure')).toEqual(['critical']);
  expect(admitUnderPressure(burstable, ['MemoryPressure', 'DiskPressure'])).toEqual({
    admit: false,
    reason: 'Evicted',
    message: 'The node had condition: [MemoryPressure DiskPressure]. ',
  });
});
