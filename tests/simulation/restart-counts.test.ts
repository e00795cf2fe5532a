import type { Pod, PodStatus } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { invariants, newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';

const mirror = (restartCount: number, phase?: PodStatus['phase']): Pod => ({
  metadata: { name: 'static', uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'static' } },
  status: {
    ...(phase && { phase }),
    containerStatuses: [{ name: 'c', ready: true, restartCount, image: '', imageID: '', containerID: 'memory://id' }],
  },
});

it.each([
  ['is a violation', [], 1],
  ['is allowed after an eviction of the static pod that was not reported', ['static-1'], 0],
  ['is a violation after that of another pod', ['mirror'], 1],
])('a lower restart count of a static pod %s', (_, evicted, count) => {
  const history = new HistoryBook();
  for (const uid of evicted) history.unreportedEvictions.add(uid);
  history.recordWrite(mirror(1), 0);
  history.clear();
  history.recordWrite(mirror(0), 1);
  const statics = [{ metadata: { name: 'static', uid: 'static-1' } }];
  expect(invariants['restart counts']?.({ history, statics } as unknown as Snapshot, newMemory())).toHaveLength(count);
});

it.each([
  ['the number of the attempt', 1, 0],
  ['another number', 0, 1],
])('the restart count of a static pod that terminated may be %s after a new start', (_, attempt, count) => {
  const history = new HistoryBook();
  history.containers.set('id', { attempt } as MemoryContainer);
  history.recordWrite(mirror(2, 'Failed'), 0);
  history.clear();
  history.recordWrite(mirror(1, 'Running'), 1);
  expect(invariants['restart counts']?.({ history, statics: [] } as unknown as Snapshot, newMemory())).toHaveLength(count);
});
