import type { RuntimeContainerState } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { type ContainerDrift, changesPod, createDriftWatch, findDrift } from './drift.js';

const pod = (uid: string, containers: Record<string, RuntimeContainerState>, sandboxes: Record<string, RuntimeContainerState> = {}) => {
  const list = (states: Record<string, RuntimeContainerState>) => Object.entries(states).map(([id, state]) => ({ id, state }));
  return { uid, containers: list(containers), sandboxes: list(sandboxes) };
};
const words = (drifts: ContainerDrift[]) =>
  drifts.map(({ podUid, containerId, known, listed }) => `${podUid}/${containerId} ${known}->${listed}`).sort();

describe('findDrift', () => {
  it('returns each container and sandbox that changed, is new or was removed', () => {
    const known = [pod('a', { same: 'running', ended: 'running', removed: 'exited' }, { s: 'running' }), pod('left', { c: 'running' })];
    const listing = [pod('a', { same: 'running', ended: 'exited', started: 'running' }, { s: 'exited' }), pod('new', { c: 'created' })];
    expect(words(findDrift(known, listing))).toEqual([
      'a/ended running->exited',
      'a/removed exited->undefined',
      'a/s running->exited',
      'a/started undefined->running',
      'left/c running->undefined',
      'new/c undefined->created',
    ]);
  });

  it('uses the last of two entries of a pod, and ignores entries without a UID', () => {
    expect(findDrift([pod('a', { c: 'running' })], [pod('a', {}), pod('a', { c: 'running' }), pod('', { x: 'running' })])).toEqual([]);
  });
});

it.each([
  ['running', 'exited', true],
  ['running', undefined, true],
  [undefined, 'running', true],
  ['exited', undefined, false],
] as const)('changesPod: %s to %s is %s', (known, listed, changes) => {
  expect(changesPod({ podUid: 'a', containerId: 'c', known, listed })).toBe(changes);
});

describe('drift watch', () => {
  const ended: ContainerDrift = { podUid: 'a', containerId: 'c', known: 'running', listed: 'exited' };
  const removed: ContainerDrift = { podUid: 'a', containerId: 'd', known: 'running', listed: undefined };

  it('confirms a difference that no event explains in time', () => {
    const watch = createDriftWatch(5_000);
    watch.begin([]);
    watch.suspect([ended, removed], 'relist', 100);
    watch.end();
    expect(watch.nextDue()).toBe(5_100);
    watch.report('c', 2);
    watch.report('d', 2);
    expect(watch.takeConfirmed(5_099)).toEqual([]);
    expect(words(watch.takeConfirmed(5_100))).toEqual(['a/d running->undefined']);
    expect(watch.nextDue()).toBe(Number.POSITIVE_INFINITY);
  });

  it('accepts events from before or during the listing as an explanation', () => {
    const watch = createDriftWatch(5_000);
    watch.begin([['c', 3]]);
    watch.report('d', 3);
    watch.suspect([ended, removed], 'relist', 0);
    expect(watch.nextDue()).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not accept an event with an earlier stage', () => {
    const watch = createDriftWatch(5_000);
    watch.begin([['c', 1]]);
    watch.suspect([ended], 'relist', 0);
    watch.end();
    watch.report('c', 1);
    expect(watch.takeConfirmed(5_000)).toHaveLength(1);
  });

  it('drops the events at the end of the listing, and keeps the due time of an earlier suspicion', () => {
    const watch = createDriftWatch(5_000);
    watch.begin([['c', 3]]);
    watch.end();
    watch.begin([]);
    watch.suspect([ended], 'relist', 0);
    watch.suspect([ended], 'relist', 3_000);
    expect(watch.takeConfirmed(5_000)).toHaveLength(1);
  });
});
