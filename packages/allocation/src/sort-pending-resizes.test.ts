import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';
import { cpu, podWith, resized } from './test-pods.js';

const pending = (name: string, to: string, more: { priority?: number; since?: number } = {}): PendingResize => {
  const allocated = podWith(name, '100m', '64Mi', more.priority === undefined ? {} : { priority: more.priority });
  return { pod: resized(allocated, cpu(to)), allocated, since: more.since };
};
const names = (list: PendingResize[]) => sortPendingResizes(list).map(({ pod }) => pod.metadata?.name);

it('sorts resizes that shrink before those that grow, for any priority', () => {
  expect(names([pending('more', '200m', { priority: 1000 }), pending('less', '50m')])).toEqual(['less', 'more']);
});

it('sorts by priority, then by QoS class, then by waiting time', () => {
  const amounts = { cpu: '200m', memory: '64Mi' };
  const allocated = buildPod({ name: 'guaranteed', containers: [{ name: 'c', resources: { requests: amounts, limits: amounts } }] });
  const more = { cpu: '300m', memory: '64Mi' };
  const guaranteed: PendingResize = { pod: resized(allocated, { requests: more, limits: more }), allocated, since: 9 };
  const list = [
    pending('new', '200m'),
    pending('young', '200m', { since: 2 }),
    pending('old', '200m', { since: 1 }),
    guaranteed,
    pending('important', '200m', { priority: 1 }),
  ];
  expect(names(list)).toEqual(['important', 'guaranteed', 'old', 'young', 'new']);
});

it('keeps the order of equal resizes', () => {
  expect(names([pending('a', '200m'), pending('b', '200m')])).toEqual(['a', 'b']);
});
