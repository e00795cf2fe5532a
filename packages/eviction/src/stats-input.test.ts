import { defaultNodeName } from '@nodeagent/api/helpers';
import { createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createEvictionManager } from './eviction-manager.js';
import { rankForDisk, rankForMemory } from './rank.js';
import { read, type SummaryInput } from './stats-input.js';
import { requesting, testPod } from './test-node.js';

const mib = 1024 ** 2;

describe('usage as parsed JSON', () => {
  it('ranks pods by numbers, and returns the caller’s pods', () => {
    const pods = [
      { ...requesting('web', '512Mi'), usedMiB: 400 },
      { ...requesting('cache', '256Mi'), usedMiB: 900 },
    ];
    const ranked = rankForMemory(pods, ({ usedMiB }) => ({ memory: { workingSetBytes: usedMiB * mib } }));
    expect(ranked.map(({ pod, usage }) => [pod.metadata?.name, pod.usedMiB, usage])).toEqual([
      ['cache', 900, 900 * 1024 ** 2],
      ['web', 400, 400 * 1024 ** 2],
    ]);
  });

  it('ranks by disk usage pods that have no containers in their stats', () => {
    const usage = { volume: [{ name: 'cache', usedBytes: 5 }] };
    const pod = testPod('web', { volumes: [{ name: 'cache', emptyDir: {} }] });
    expect(rankForDisk([pod], () => usage, { measures: ['root', 'localVolumeSource'], resource: 'ephemeral-storage' })[0]?.usage).toBe(5);
  });

  it('evicts by a summary that has only memory', async () => {
    const pods = [testPod('web'), testPod('hog')];
    const used: Record<string, number> = { web: 100 * mib, hog: 900 * mib };
    const summary: SummaryInput = {
      node: { memory: { availableBytes: 50 * mib, workingSetBytes: 1000 * mib } },
      pods: pods.map((pod) => ({ podRef: { uid: pod.metadata?.uid }, memory: { workingSetBytes: used[pod.metadata?.name ?? ''] } })),
    };
    const killed: unknown[] = [];
    const manager = createEvictionManager({
      summary: { summary: () => summary },
      activePods: () => pods,
      killPod: async ({ metadata }) => void killed.push(metadata?.name),
      clock: createVirtualClock(),
    });
    await manager.synchronize();
    expect(killed).toEqual(['hog']);
    expect(manager.explain().candidates.map(({ name }) => name)).toEqual(['hog', 'web']);
  });

  it('names the field that is no number', () => {
    expect(() => read({ workingSetBytes: Number.NaN }, 'workingSetBytes')).toThrow(
      'workingSetBytes must be a finite number or a bigint, got NaN',
    );
  });

  it('names the Node of events by the machine’s host name', async () => {
    const recorder = createRecordingRecorder();
    const manager = createEvictionManager({
      summary: { summary: () => ({ node: { memory: { availableBytes: 1, workingSetBytes: 1 } } }) },
      activePods: () => [],
      killPod: async () => {},
      clock: createVirtualClock(),
      recorder,
    });
    await manager.synchronize();
    expect(recorder.events.map(({ object }) => object.name)).toEqual([defaultNodeName()]);
  });
});
