import type { Informer, ObjectChange, Pod, PodSpec } from '@nodeagent/api';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createApiServerSource } from './api-server-source.js';

function createFakeInformer<T extends Pod>() {
  const listeners = new Set<(change: ObjectChange<T> | undefined) => void>();
  let objects: readonly T[] = [];
  const calls: string[] = [];
  const informer: Informer<T> & { set(next: T[], change?: ObjectChange<T>): void } = {
    hasSynced: false,
    list: () => objects,
    get: ({ name }) => objects.find(({ metadata }) => metadata?.name === name),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: async () => void calls.push('start'),
    stop: async () => void calls.push('stop'),
    set(next, change) {
      objects = next;
      Object.assign(informer, { hasSynced: true });
      for (const listener of listeners) listener(change);
    },
  };
  return { informer, calls, listeners };
}

function setUp({ withNode = false } = {}) {
  const clock = createVirtualClock();
  const pods = createFakeInformer();
  const node = createFakeInformer();
  const selections: unknown[] = [];
  const source = createApiServerSource({
    nodeName: 'n1',
    clock,
    pods: {
      informer(selection) {
        selections.push(selection);
        return pods.informer;
      },
    },
    ...(withNode && { nodeSynced: node.informer }),
  });
  const lists: string[][] = [];
  source.onPods = (list) => lists.push(list.map(({ metadata }) => metadata?.name ?? ''));
  return { clock, pods, node, source, selections, lists };
}

const [a, b] = [buildPod({ name: 'a' }), buildPod({ name: 'b' })];

describe('the API server source', () => {
  it('watches the pods of its node, and emits no list before the first one of the API server', async () => {
    const { source, selections, lists, clock } = setUp();
    await source.start();
    await clock.advance(10_000);
    expect(selections).toEqual([{ fieldSelector: 'spec.nodeName=n1' }]);
    expect(lists).toEqual([]);
    expect(source.name).toBe('api');
  });

  it('emits an empty first list too, then the whole list at each change, with the changes of one turn combined', async () => {
    const { source, pods, lists, clock } = setUp();
    await source.start();
    pods.informer.set([]);
    await clock.advance(0);
    pods.informer.set([a]);
    pods.informer.set([a, b]);
    await clock.advance(0);
    pods.informer.set([b]);
    await clock.advance(0);
    expect(lists).toEqual([[], ['a', 'b'], ['b']]);
    await clock.advance(60_000);
    expect(lists).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('emits a pod with its deletion timestamp before its removal, although both arrive at once', async () => {
    const { source, pods, clock } = setUp();
    const graces: (number | undefined)[][] = [];
    source.onPods = (list) => graces.push(list.map(({ metadata }) => metadata?.deletionGracePeriodSeconds));
    await source.start();
    pods.informer.set([a]);
    await clock.advance(0);
    const terminating = (grace: number) =>
      buildPod({ name: 'a', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: grace } });
    pods.informer.set([terminating(30)], { old: a, object: terminating(30) });
    pods.informer.set([terminating(0)], { old: terminating(30), object: terminating(0) });
    pods.informer.set([], { old: terminating(0) });
    await clock.advance(0);
    expect(graces).toEqual([[undefined], [30], [0], []]);
    await source.stop();
  });

  it('waits for the node informer to sync', async () => {
    const { source, pods, node } = setUp({ withNode: true });
    await source.start();
    expect(pods.calls).toEqual([]);
    node.informer.set([]);
    node.informer.set([]);
    expect(pods.calls).toEqual(['start']);
    expect(node.listeners.size).toBe(0);
  });

  it('starts and stops repeatedly, without timers and listeners left after a stop', async () => {
    const { source, pods, node, lists, clock } = setUp({ withNode: true });
    const controller = new AbortController();
    await source.start(controller.signal);
    await source.start(controller.signal);
    pods.informer.set([a]);
    controller.abort();
    await source.stop();
    await source.start(controller.signal);
    await clock.advance(1_000);
    expect([pods.listeners.size, node.listeners.size, clock.pending]).toEqual([0, 0, 0]);
    expect(lists).toEqual([]);
    await source.start();
    await clock.advance(0);
    expect(lists).toEqual([['a']]);
    await source.stop();
  });

  it('needs a node', () => {
    const options = { nodeName: '', pods: { informer: () => createFakeInformer().informer }, clock: createVirtualClock() };
    expect(() => createApiServerSource(options)).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'nodeName' } }),
    );
  });

  it('adds an empty container list to a pod whose containers the API server returns as null', async () => {
    const { source, pods, clock } = setUp();
    const { containers: _, ...spec } = a.spec ?? { containers: [] };
    const given: (readonly Pod[])[] = [];
    source.onPods = (list) => given.push(list);
    await source.start();
    pods.informer.set([{ ...a, spec: spec as PodSpec }, b]);
    await clock.advance(0);
    expect(given).toEqual([[{ ...a, spec: { ...spec, containers: [] } }, b]]);
    expect(given[0]?.[1]).toBe(b);
    await source.stop();
  });
});
