import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { buildPod } from './build-pod.js';
import { createManualSource } from './manual-source.js';

it('reports its complete list at the start and at each change until it is stopped', async () => {
  const [a, b] = [buildPod({ name: 'a' }), buildPod({ name: 'b' })];
  const source = createManualSource([a]);
  const seen: Pod[][] = [];
  source.onPods = (pods) => seen.push(pods);
  source.set([a, b]);
  expect(seen).toEqual([]);
  await source.start();
  await source.start();
  source.set([b]);
  await source.stop();
  source.set([]);
  expect(seen).toEqual([[a, b], [b]]);
  expect([source.name, createManualSource([], { name: 'api' }).name]).toEqual(['file', 'api']);
});
