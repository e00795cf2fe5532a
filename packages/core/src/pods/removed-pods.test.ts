import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRemovedPods } from './removed-pods.js';

it('reports once that a pod has terminated and once that it is cleaned up', () => {
  const observed = new Set(['a']);
  const reported: string[] = [];
  const removedPods = createRemovedPods({
    isObserved: (uid) => observed.has(uid),
    onEnded: (uid) => reported.push(`ended ${uid}`),
    onRemoved: (pod) => reported.push(`removed ${pod.metadata?.uid}`),
  });
  for (const uid of ['a', 'b', 'back']) removedPods.add(buildPod({ name: uid, uid }), undefined);
  removedPods.delete('back');
  removedPods.retain(new Set(['a', 'b']));
  expect(reported).toEqual([]);
  removedPods.retain(new Set(['b']));
  removedPods.retain(new Set(['b']));
  expect([reported, [...removedPods.pods()].length, removedPods.get('a')?.metadata?.name]).toEqual([['ended a'], 2, 'a']);
  observed.clear();
  removedPods.retain(new Set());
  removedPods.retain(new Set());
  expect(reported).toEqual(['ended a', 'removed a', 'ended b', 'removed b']);
  expect([...removedPods.pods()]).toEqual([]);
});

it('has the last status of a removed pod until it is cleaned up', () => {
  const removedPods = createRemovedPods({ isObserved: () => false, onEnded: () => {}, onRemoved: () => {} });
  removedPods.setStatus('a', { phase: 'Pending' });
  expect(removedPods.lastStatus('a')).toBeUndefined();
  removedPods.add(buildPod({ name: 'a', uid: 'a' }), { phase: 'Running' });
  expect(removedPods.lastStatus('a')).toEqual({ phase: 'Running' });
  removedPods.setStatus('a', { phase: 'Succeeded' });
  removedPods.retain(new Set(['a']));
  expect(removedPods.lastStatus('a')).toEqual({ phase: 'Succeeded' });
  removedPods.retain(new Set());
  expect(removedPods.lastStatus('a')).toBeUndefined();
});
