import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createLeavingPods } from './leaving-pods.js';

it('tells once that a pod has ended and once that nothing is left of it', () => {
  const observed = new Set(['a']);
  const told: string[] = [];
  const leaving = createLeavingPods({
    isObserved: (uid) => observed.has(uid),
    onEnded: (uid) => told.push(`ended ${uid}`),
    onRemoved: (pod) => told.push(`removed ${pod.metadata?.uid}`),
  });
  for (const uid of ['a', 'b', 'back']) leaving.add(buildPod({ name: uid, uid }));
  leaving.delete('back');
  leaving.retain(new Set(['a', 'b']));
  expect(told).toEqual([]);
  leaving.retain(new Set(['b']));
  leaving.retain(new Set(['b']));
  expect([told, [...leaving.pods()].length, leaving.get('a')?.metadata?.name]).toEqual([['ended a'], 2, 'a']);
  observed.clear();
  leaving.retain(new Set());
  leaving.retain(new Set());
  expect(told).toEqual(['ended a', 'removed a', 'ended b', 'removed b']);
  expect([...leaving.pods()]).toEqual([]);
});
