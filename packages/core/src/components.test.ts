import { createAllocationManager } from '@nodeagent/allocation';
import { createCgroupManager } from '@nodeagent/cgroups';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createContainerManager } from '@nodeagent/container-manager';
import { createImageManager } from '@nodeagent/image-manager';
import { createGenericPleg } from '@nodeagent/pleg';
import { createPodWorkers } from '@nodeagent/pod-workers';
import { createStatusManager } from '@nodeagent/status-manager';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createAgentContext } from './agent-context.js';
import { type AgentParts, type Components, defaultParts, type PartFactories, type PartReplacements } from './components.js';
import { createComponents } from './create-components.js';
import { memoryHost } from './host/memory-host.js';
import type { AgentOptions } from './options/agent-options.js';
import { createTestAgent } from './test-agent.js';

/** Parts made by hand from the packages, as a caller would make them. */
const ownParts = {
  statusManager: ({ common, state }) => createStatusManager({ clock: common.clock, pods: state.podManager }),
  pleg: ({ common, runtime, state }) => createGenericPleg({ runtime, cache: state.podCache, clock: common.clock }),
  imageManager: ({ agent, common }) => createImageManager({ images: agent.cri.image, clock: common.clock }),
  allocation: (c) =>
    createAllocationManager({
      activePods: () => c.node.activePods(),
      nodeAllocatable: () => c.node.allocatable(),
      admitHandlers: [],
      actuatedPod: (pod) => pod,
      allSourcesReady: () => c.state.sources.areAllSeen(),
      syncPod: (uid) => c.handler.syncPods([uid], 'Resize'),
      clock: c.common.clock,
    }),
  podWorkers: (c) =>
    createPodWorkers({
      syncer: c.syncer,
      cache: c.state.podCache,
      clock: c.common.clock,
      workQueue: c.state.workQueue,
      onSynced: () => c.syncLoop.scheduleHousekeeping(),
      requestRelist: (uid) => c.pleg.requestRelist(uid),
    }),
  containerManager: (c) =>
    createContainerManager({
      cgroups: createCgroupManager({ files: createMemoryCgroups().files, clock: c.common.clock }),
      activePods: () => c.node.activePods(),
      capacity: { cpu: '4', memory: '8Gi' },
      nodeName: c.agent.nodeName,
      clock: c.common.clock,
    }),
} satisfies Partial<PartFactories>;
type OwnParts = typeof ownParts;
const names = Object.keys(ownParts) as (keyof OwnParts)[];

/** The factory, and the methods of its part that were called. */
function watched(name: keyof OwnParts) {
  const called = new Set<string>();
  const factory = (c: Components) =>
    new Proxy(ownParts[name](c), {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown;
        if (typeof value !== 'function') return value;
        called.add(String(key));
        return value.bind(target) as unknown;
      },
    });
  return { factory, called };
}

/** One call by which each part shows that the agent uses it and not its own. */
const proof: Record<keyof OwnParts, string> = {
  statusManager: 'setPodStatus',
  pleg: 'requestRelist',
  imageManager: 'ensureImageExists',
  allocation: 'addPod',
  podWorkers: 'updatePod',
  containerManager: 'updateQosCgroups',
};

async function runsAndStops(parts: Partial<PartFactories>): Promise<void> {
  const node = createTestAgent([buildPod({ name: 'web' })], { parts });
  await node.agent.start();
  await node.untilReady('web');
  await node.clock.run(node.agent.stopPods());
  expect(node.memory.containers()).toEqual([]);
  await node.agent.stop();
  expect(node.clock.pending).toBe(0);
}

describe('an agent with parts of the caller', () => {
  it.each(names)('uses the given %s', async (name) => {
    const { factory, called } = watched(name);
    await runsAndStops({ [name]: factory } as Partial<PartFactories>);
    expect([...called]).toContain(proof[name]);
  });

  it('runs with all of them', () => runsAndStops(ownParts));

  it('runs with a wrapper of every default', async () => {
    const wrapped: string[] = [];
    const wrapper = (name: string) => (_: Components, createDefault: () => unknown) => {
      wrapped.push(name);
      return createDefault();
    };
    await runsAndStops(Object.fromEntries(Object.keys(defaultParts).map((name) => [name, wrapper(name)])));
    expect(wrapped.sort()).toEqual(Object.keys(defaultParts).sort());
  });

  it('uses what a wrapper adds to the default', async () => {
    const mounted: (string | undefined)[] = [];
    const volumeManager: PartReplacements['volumeManager'] = (_, createDefault) => {
      const own = createDefault();
      return {
        ...own,
        waitForAttachAndMount(pod, signal) {
          mounted.push(pod.metadata?.name);
          return own.waitForAttachAndMount(pod, signal);
        },
      };
    };
    const node = createTestAgent([buildPod({ name: 'web', volumes: [{ name: 'data', emptyDir: {} }] })], { parts: { volumeManager } });
    await node.agent.start();
    await node.untilReady('web');
    expect(mounted).toContain('web');
    expect(node.logger.messages('warn').filter((message) => message.includes('parts.volumeManager'))).toEqual([]);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('runs the pods of a source that a factory adds', async () => {
    const added = createManualSource([buildPod({ name: 'added' })], { name: 'added' });
    const parts: PartReplacements = { sources: (_, createDefault) => [...createDefault(), added] };
    const node = createTestAgent([buildPod({ name: 'web' })], { parts });
    await node.agent.start();
    await node.untilReady('web');
    await node.untilReady('added');
    await node.clock.run(node.agent.stopPods());
    expect(node.agent.pods()).toEqual([]);
    await node.agent.stop();
  });

  it('rejects a part that is no factory', () => {
    expect(() => createTestAgent([], { parts: { runtime: { runtimeName: 'mine' } as never } })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'parts.runtime' } }),
    );
  });
});

const host = memoryHost();
const options: AgentOptions = {
  nodeName: 'node',
  sources: [{ name: 'api', start: async () => {}, stop: async () => {}, onPods: undefined }],
  cri: {} as AgentOptions['cri'],
  rootDir: '/nowhere',
  host,
};

describe('components', () => {
  const build = (factories: Partial<PartFactories>) =>
    createComponents(
      createAgentContext(options, () => host),
      factories as PartFactories,
    );

  it('are created in the order of the factories, dependencies first', () => {
    const order: string[] = [];
    const part = <K extends keyof AgentParts>(name: K, ...needs: (keyof AgentParts)[]) => {
      const factory = (c: AgentParts) => {
        for (const need of needs) expect(c[need]).toBeDefined();
        order.push(name);
        return {};
      };
      return { [name]: factory } as unknown as Partial<PartFactories>;
    };
    build({ ...part('pleg', 'runtime'), ...part('syncer'), ...part('runtime') });
    expect(order).toEqual(['runtime', 'pleg', 'syncer']);
  });

  it('may read each other inside functions', () => {
    const c = build({
      syncer: (parts) => ({ me: () => parts.podWorkers }) as never,
      podWorkers: ({ syncer }) => ({ syncer }) as never,
    });
    expect((c.syncer as unknown as { me(): unknown }).me()).toBe(c.podWorkers);
  });

  it('that depend on each other at construction are an error that names both', () => {
    const needSyncer: PartFactories['podWorkers'] = ({ syncer }) => syncer as never;
    const needWorkers: PartFactories['syncer'] = ({ podWorkers }) => podWorkers as never;
    expect(() => build({ syncer: needWorkers, podWorkers: needSyncer })).toThrow(
      expect.objectContaining({
        code: 'UnmetNeed',
        message:
          'parts depend on each other (syncer -> podWorkers -> syncer): podWorkers must read syncer inside a function, not at construction',
      }),
    );
  });

  it('whose factory returns undefined are an error that names both', () => {
    expect(() => build({ pleg: () => undefined as never, podWorkers: ({ pleg }) => ({ pleg }) as never })).toThrow(
      expect.objectContaining({ code: 'UnmetNeed', message: 'podWorkers needs pleg, but the factory of pleg returned undefined' }),
    );
  });

  it('have a default for every part', () => {
    const context = createAgentContext({ ...options, cri: createTestAgent().memory }, () => host);
    const c = createComponents(context, defaultParts);
    const absent = Object.entries(c).filter(([, part]) => part === undefined);
    expect(absent.map(([name]) => name)).toEqual([
      'clusterRecorder',
      'stats',
      'eviction',
      'cluster',
      'statusSink',
      'containerManager',
      'devices',
      'resourceManagers',
      'podResources',
      'dynamicResources',
      'server',
    ]);
  });
});
