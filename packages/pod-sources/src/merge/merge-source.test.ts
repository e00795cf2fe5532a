import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { mergeSource, type PodConfigState } from './merge-source.js';
import { isSameJson } from './same-json.js';

const pod = (uid: string, more: Partial<Pod> = {}, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: uid, namespace: 'ns', uid, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  ...more,
});

/** Merges the lists of one source in sequence. `operations` is `<op> <uids>` for each update. */
function replay(...lists: Pod[][]) {
  let state: PodConfigState = new Map();
  return lists.map((pods, index) => {
    const merged = mergeSource(state, 'file', pods, Date.UTC(2026, 0, 1) + index * 10);
    state = merged.state;
    return {
      ...merged,
      operations: merged.updates.map(({ op, pods: named }) => `${op} ${named.map(({ metadata }) => metadata?.uid).join(',')}`),
    };
  });
}
const operationsOf = (...lists: Pod[][]) => replay(...lists).map((result) => result.operations);

describe('mergeSource', () => {
  it('emits the changes of a list, removals first', () => {
    const changed = pod('b', { spec: { containers: [{ name: 'c', image: 'j' }] } });
    const ran = pod('c', { status: { phase: 'Running' } });
    expect(operationsOf([pod('a'), pod('b'), pod('c')], [pod('d'), changed, ran], [pod('d'), changed, ran])).toEqual([
      ['ADD a,b,c'],
      ['REMOVE a', 'ADD d', 'UPDATE b', 'RECONCILE c'],
      [],
    ]);
  });

  it('marks a source without pods as ready with one empty ADD', () => {
    expect(operationsOf([], [], [pod('a')], [])).toEqual([['ADD '], [], ['ADD a'], ['REMOVE a']]);
  });

  it('treats a new UID with the same name as another pod', () => {
    expect(operationsOf([pod('a')], [pod('b', {}, { name: 'a' })])).toEqual([['ADD a'], ['REMOVE a', 'ADD b']]);
  });

  it('emits DELETE for a graceful deletion, but ADD for a pod that is being deleted when first seen', () => {
    const deleted = pod('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 });
    expect(operationsOf([pod('a')], [deleted], [deleted])).toEqual([['ADD a'], ['DELETE a'], []]);
    expect(operationsOf([deleted])).toEqual([['ADD a']]);
  });

  it('omits the second of two pods with the same name, with a warning', () => {
    const [{ operations: first, warnings } = { operations: [], warnings: [] }] = replay([pod('a'), pod('b', {}, { name: 'a' })]);
    expect(first).toEqual(['ADD a']);
    expect(warnings).toMatchObject([
      { reason: 'FailedValidation', message: 'Error validating pod a_ns(b) from file due to duplicate pod name "a", ignoring' },
    ]);
  });

  it('marks pods with their source and the time they were first seen, which later lists do not change', () => {
    const listed = pod('a', {}, { annotations: { mine: '1' } });
    const relabelled = pod(
      'a',
      {},
      { annotations: { mine: '2', 'kubernetes.io/config.seen': 'never' }, labels: { x: 'y' }, resourceVersion: '7' },
    );
    const [added, updated] = replay([listed], [relabelled]);
    expect(added?.updates[0]?.pods[0]?.metadata?.annotations).toEqual({
      mine: '1',
      'kubernetes.io/config.source': 'file',
      'kubernetes.io/config.seen': '2026-01-01T00:00:00Z',
    });
    expect(updated?.updates[0]?.pods[0]?.metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'a',
      labels: { x: 'y' },
      annotations: { mine: '2', 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.seen': '2026-01-01T00:00:00Z' },
    });
    expect(listed.metadata?.annotations).toEqual({ mine: '1' });
  });

  it('writes fractions of the second it first saw a pod in', () => {
    const [result] = [mergeSource(new Map(), 'file', [pod('a')], Date.UTC(2026, 0, 1, 0, 0, 0, 120))];
    expect(result?.updates[0]?.pods[0]?.metadata?.annotations?.['kubernetes.io/config.seen']).toBe('2026-01-01T00:00:00.12Z');
  });

  it('does not mix the pods of two sources', () => {
    const first = mergeSource(new Map(), 'file', [pod('a')], 0);
    const second = mergeSource(first.state, 'api', [pod('b')], 0);
    expect(second.updates.map(({ op, source }) => `${op} ${source}`)).toEqual(['ADD api']);
  });
});

it.each<[unknown, unknown, boolean]>([
  [undefined, null, true],
  [{ a: '' }, {}, true],
  [{}, { a: undefined }, true],
  [{ a: {} }, {}, false],
  [{ a: [] }, {}, false],
  [{ a: 0 }, {}, false],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
])('%j means the same as %j: %s', (a, b, same) => {
  expect(isSameJson(a, b)).toBe(same);
});
