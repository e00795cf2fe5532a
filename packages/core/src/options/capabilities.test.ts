import type { Runtime } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgentOptions } from '../test-agent.js';
import { agentFeatures } from './agent-features.js';
import { capabilitiesOf } from './capabilities.js';
import { resizeAdmission, runtimeCapabilities } from './runtime-capabilities.js';
import { volumeCapabilities } from './volume-capabilities.js';

/** A runtime with nothing but its contract. */
const plain: Runtime = {
  runtimeName: 'plain',
  checkRuntime: async () => {},
  status: async () => ({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' }),
  getPods: async () => [],
  getPod: async () => undefined,
  getPodStatus: async () => Promise.reject(new Error('there are no pods')),
  syncPod: async () => ({ results: [] }),
  killPod: async () => ({ results: [] }),
  garbageCollect: async () => {},
  collectBackOff: () => {},
};
const streams = {
  execUrl: async () => new URL('http://a'),
  attachUrl: async () => new URL('http://b'),
  portForwardUrl: async () => new URL('http://c'),
};

describe('the capabilities of a part', () => {
  it('are the part itself if it has their methods', () => {
    const runtime = { ...plain, ...streams };
    const { streaming, missing } = capabilitiesOf('parts.runtime', runtime, runtimeCapabilities);
    expect(streaming).toBe(runtime);
    expect(missing.map(({ capability }) => capability)).toEqual(['ResizableRuntime', 'ReclaimingRuntime', 'VersionedRuntime']);
  });

  it('are found on classes too', () => {
    class Measuring {
      volumeStats() {}
    }
    expect(capabilitiesOf('parts.volumeManager', new Measuring(), volumeCapabilities).missing.map(({ capability }) => capability)).toEqual([
      'ReconcilingVolumeManager',
      'AttachingVolumeManager',
      'GroupingVolumeManager',
    ]);
  });

  it('are complete or absent', () => {
    expect(() => capabilitiesOf('parts.runtime', { ...plain, execUrl: streams.execUrl }, runtimeCapabilities)).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        message: expect.stringMatching(/^parts\.runtime must be a complete StreamingRuntime, including attachUrl and portForwardUrl/),
        details: { field: 'parts.runtime' },
      }),
    );
  });

  it('use a fallback if they are missing', async () => {
    const { resizing, streaming, reclaiming, versioned } = capabilitiesOf('parts.runtime', plain, runtimeCapabilities);
    const pod = buildPod({ name: 'web' });
    expect(resizing.actuatedPod(pod)).toBe(pod);
    expect(resizing.isPodResizeInProgress(pod, { containerStatuses: [] })).toBe(false);
    await expect(streaming.execUrl('id', [], {})).rejects.toMatchObject({ code: 'NotSupported' });
    await expect(reclaiming.deleteAllUnusedContainers(true)).resolves.toBeUndefined();
    expect(await versioned.runtimeVersion()).toEqual({ name: '', version: 'Unknown' });
  });
});

describe('an agent with a runtime that has only its contract', () => {
  it('logs the missing capabilities at its start', async () => {
    const { agent, logger } = createTestAgent([], { parts: { runtime: () => plain } });
    await agent.start();
    await agent.stop();
    expect(logger.messages('warn')).toEqual(
      expect.arrayContaining([
        'parts.runtime has no ResizableRuntime: pod resizes are rejected',
        'parts.runtime has no StreamingRuntime: exec, attach and port-forward are rejected',
      ]),
    );
  });

  it('rejects resizes, and declares no resize features', () => {
    const capabilities = capabilitiesOf('parts.runtime', plain, runtimeCapabilities);
    const { admit } = resizeAdmission(() => capabilities);
    const pod = buildPod({ name: 'web' });
    expect(admit({ pod, otherPods: [], operation: 'resize' })).toMatchObject({ admit: false, reason: 'Infeasible' });
    expect(admit({ pod, otherPods: [], operation: 'add' })).toEqual({ admit: true });
    expect(agentFeatures({}, capabilities)).toEqual([]);
    const resizable = { ...plain, isPodResizeInProgress: () => false, actuatedPod: () => pod };
    expect(agentFeatures({}, capabilitiesOf('parts.runtime', resizable, runtimeCapabilities))).toContain(
      'InPlacePodVerticalScalingInitContainers',
    );
  });
});

describe('a part of the options that lacks what its contract demands', () => {
  it.each<[string, string, TestAgentOptions]>([
    ['parts.runtime', 'Runtime', { parts: { runtime: () => ({ runtimeName: 'mine' }) as never } }],
    ['parts.statusManager', 'StatusManager', { parts: { statusManager: () => ({}) as never } }],
    ['parts.pleg', 'PodLifecycleEventGenerator', { parts: { pleg: () => ({}) as never } }],
    ['parts.podWorkers', 'PodWorkers', { parts: { podWorkers: () => ({}) as never } }],
    ['parts.imageManager', 'ImageManager', { parts: { imageManager: () => ({}) as never } }],
    ['parts.allocation', 'AllocationManager', { parts: { allocation: () => ({}) as never } }],
    ['parts.volumeManager', 'VolumeManager', { parts: { volumeManager: () => ({}) as never } }],
    ['parts.probeManager', 'ProbeManager', { parts: { probeManager: () => ({}) as never } }],
    ['parts.stats', 'StatsProvider', { parts: { stats: () => ({}) as never } }],
    ['parts.statusSink', 'StatusSink', { parts: { statusSink: () => ({}) as never } }],
    ['parts.sources[0]', 'PodSource', { parts: { sources: () => [{} as never] } }],
    ['sources[0]', 'PodSource', { sources: [{} as never] }],
  ])('is rejected at construction: %s', (field, contract, options) => {
    expect(() => createTestAgent([], options)).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        details: { field },
        message: expect.stringMatching(`must be a ${contract}, with `),
      }),
    );
  });
});
