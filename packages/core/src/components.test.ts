import { createAllocationManager } from '@nodeagent/allocation';
import { createCgroupManager } from '@nodeagent/cgroups';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createContainerManager } from '@nodeagent/container-manager';
import { createImageManager } from '@nodeagent/image-manager';
import { createGenericPleg } from '@nodeagent/pleg';
import { createPodWorkers } from '@nodeagent/pod-workers';
import { createStatusManager } from '@nodeagent/status-manager';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createAgentContext } from './agent-context.js';
import { type AgentParts, type Components, defaultParts, type PartFactories } from './components.js';
import { createComponents } from './create-components.js';
import { memoryHost } from './host/memory-host.js';
import type { ReplaceableParts } from './node-agent-options.js';
import type { AgentOptions } from './options/agent-options.js';
import { createTestAgent, testMachine } from './test-agent.js';

/** Parts made by hand from the packages, as a caller would make them. */
const ownParts: ReplaceableParts = {
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
};
const names = Object.keys(ownParts) as (keyof ReplaceableParts)[];

/** The factory, and the methods of its part that were called. */
function watched(name: keyof ReplaceableParts) {
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
const proof: Record<keyof ReplaceableParts, string> = {
  statusManager: 'setPodStatus',
  pleg: 'requestRelist',
  imageManager: 'ensureImageExists',
  allocation: 'addPod',
  podWorkers: 'updatePod',
  containerManager: 'updateQosCgroups',
};

async function runsAndStops(parts: Partial<ReplaceableParts>): Promise<void> {
  const { files, podDirs } = createTestAgent();
  const node = createTestAgent([buildPod({ name: 'web' })], { parts: { files, podDirs, ...testMachine, ...parts } });
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
    await runsAndStops({ [name]: factory } as Partial<ReplaceableParts>);
    expect([...called]).toContain(proof[name]);
  });

  it('runs with all of them', () => runsAndStops(ownParts));
});

const options: AgentOptions = {
  nodeName: 'node',
  sources: [{ name: 'api', start: async () => {}, stop: async () => {}, onPods: undefined }],
  cri: {} as AgentOptions['cri'],
  rootDir: '/nowhere',
  parts: { host: memoryHost() },
};

describe('components', () => {
  const build = (factories: Partial<PartFactories>) => createComponents(createAgentContext(options), factories as PartFactories);

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
    const context = createAgentContext({ ...options, cri: createTestAgent().memory });
    const c = createComponents(context, defaultParts);
    const absent = Object.entries(c).filter(([, part]) => part === undefined);
    expect(absent.map(([name]) => name)).toEqual([
      'clusterRecorder',
      'eviction',
      'cluster',
      'containerManager',
      'devices',
      'resourceManagers',
      'podResources',
      'dynamicResources',
      'server',
    ]);
  });
});
