import { Quantity } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { localStorageExcess } from './local-storage.js';
import { evictionMessage } from './message.js';
import { mib, testPod } from './test-node.js';

const time = new Date(0).toISOString();
const podRef = { name: 'web', namespace: 'default', uid: 'web' };
const fs = (used: bigint) => ({ time, usedBytes: used * mib });

it('has the available amount and each container that uses more than it requests', () => {
  const pod = testPod('web', {
    containers: [
      { name: 'main', image: 'i', resources: { requests: { memory: '64Mi' } } },
      { name: 'calm', image: 'i', resources: { requests: { memory: '64Mi' } } },
    ],
  });
  const memory = (used: bigint) => ({ time, workingSetBytes: used * mib });
  const stats = {
    podRef,
    startTime: time,
    containers: [
      { name: 'main', startTime: time, memory: memory(65n) },
      { name: 'calm', startTime: time, memory: memory(64n) },
      { name: 'ghost', startTime: time, memory: memory(999n) },
    ],
  };
  const threshold = { signal: 'memory.available', operator: 'LessThan', value: { quantity: '100Mi' }, gracePeriodSeconds: 0 } as const;
  const observation = { available: Quantity.parse('90Mi'), capacity: Quantity.parse('1Gi'), at: undefined };
  expect(evictionMessage('memory', pod, stats, [threshold], new Map([['memory.available', observation]]))).toEqual({
    message:
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. ' +
      'Container main was using 65Mi, request is 64Mi, has larger consumption of memory. ',
    annotations: { offending_containers: 'main', offending_containers_usage: '65Mi', starved_resource: 'memory' },
  });
  expect(evictionMessage('pids', pod, undefined, [threshold], new Map())).toEqual({
    message: 'The node was low on resource: pids. ',
    annotations: {},
  });
});

it('checks limits of local storage of volumes, then of the pod, then of containers, whose writable layers can be on another file system', () => {
  const pod = testPod('web', {
    volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '10Mi' } }],
    containers: [
      { name: 'main', image: 'i', resources: { limits: { 'ephemeral-storage': '20Mi' } } },
      { name: 'other', image: 'i', resources: { limits: { 'ephemeral-storage': '20Mi' } } },
    ],
  });
  const excess = (volume: bigint, all: bigint, rootfs: bigint, dedicatedImageFs = false) =>
    localStorageExcess(
      pod,
      {
        podRef,
        startTime: time,
        containers: [{ name: 'main', startTime: time, rootfs: fs(rootfs), logs: fs(10n) }],
        volume: [{ name: 'scratch', ...fs(volume) }],
        'ephemeral-storage': fs(all),
      },
      { dedicatedImageFs },
    );
  expect(excess(10n, 40n, 10n)).toBeUndefined();
  expect(excess(11n, 41n, 11n)).toEqual({
    signal: 'emptydirfs.limit',
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
  });
  expect(excess(10n, 41n, 11n)?.signal).toBe('ephemeralpodfs.limit');
  expect(excess(10n, 40n, 11n)).toEqual({
    signal: 'ephemeralcontainerfs.limit',
    message: 'Container main exceeded its local ephemeral storage limit "20Mi". ',
  });
  expect(excess(10n, 40n, 11n, true)).toBeUndefined();
});
