import { expect, it } from 'vitest';
import { EvictionQueue, evictionRate, isExcluded, zoneOf, zoneState } from './zone-evictions.js';

it.each([
  [{ ready: 0, notReady: 0 }, 'normal'],
  [{ ready: 0, notReady: 1 }, 'full'],
  [{ ready: 1, notReady: 2 }, 'normal'],
  [{ ready: 3, notReady: 3 }, 'normal'],
  [{ ready: 2, notReady: 3 }, 'partial'],
])('a zone with %j nodes is %s', (counts, state) => expect(zoneState(counts)).toBe(state));

it('evicts at full pace, more slowly from a large zone that is disrupted in part, and not from a small one', () => {
  expect([evictionRate('normal', 9), evictionRate('full', 9), evictionRate('partial', 51), evictionRate('partial', 50)]).toEqual([
    0.1, 0.1, 0.01, 0,
  ]);
});

it('knows the zone of a node by its labels, and whether it counts', () => {
  const labels = { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' };
  expect([zoneOf({ metadata: { labels } }), zoneOf({})]).toEqual(['r:z', ':']);
  const excluded = { metadata: { labels: { 'node.kubernetes.io/exclude-disruption': '' } } };
  expect([isExcluded(excluded), isExcluded({})]).toEqual([true, false]);
});

it('takes one node of a queue per period, and none while evictions are stopped', () => {
  const queue = new EvictionQueue();
  for (const name of ['a', 'b', 'c']) queue.add(name);
  expect([queue.take(0), queue.dueAt]).toEqual([undefined, undefined]);
  queue.perSecond = 0.1;
  queue.remove('b');
  expect([queue.take(5_000), queue.take(5_000), queue.dueAt]).toEqual(['a', undefined, 15_000]);
  expect([queue.take(14_999), queue.take(15_000), queue.dueAt]).toEqual([undefined, 'c', undefined]);
});
