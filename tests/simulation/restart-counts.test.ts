import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { invariants, newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';

const mirror = (restartCount: number): Pod => ({
  metadata: { name: 'static', uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'static' } },
  status: { containerStatuses: [{ name: 'c', ready: true, restartCount, image: '', imageID: '' }] },
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
