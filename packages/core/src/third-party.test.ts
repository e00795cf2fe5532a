import type { Pod } from '@nodeagent/api';
import { defineSuite, podSourceSuite, statusSinkSuite, volumeManagerSuite } from '@nodeagent/compliance';
import { buildPod, createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { PartReplacements } from './components.js';
import { createNodeAgent } from './create-node-agent.js';
import { type Calls, counted } from './third-party/test-counted.js';
import { createPleg } from './third-party/test-pleg.js';
import { createPodWorkers } from './third-party/test-pod-workers.js';
import { createCapableRuntime, createRuntime } from './third-party/test-runtime.js';
import {
  createAllocation,
  createCgroups,
  createEnvironment,
  createHost,
  createImages,
  createProbes,
  createSink,
  createSource,
  createStats,
  createVolumes,
} from './third-party/test-small-parts.js';
import { createStatusManager } from './third-party/test-status-manager.js';

/** An agent with a third-party implementation of every replaceable part, and the calls of each. */
function setUp(makeRuntime: typeof createRuntime, pods: Pod[]) {
  const calls: Calls = new Map();
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const as = <T extends object>(name: string, part: T): T => counted(calls, name, part);
  const images = as('imageManager', createImages());
  const environment = as('environment', createEnvironment());
  const source = createSource();
  const sink = createSink();
  source.set(pods);
  const factories = {
    statusManager: ({ statusSink, common }) => as('statusManager', createStatusManager(common.clock, statusSink)),
    containerManager: () => as('containerManager', createCgroups()),
    pleg: ({ runtime, state, common }) => as('pleg', createPleg(runtime, state.podCache, common.clock)),
    imageManager: () => images,
    allocation: () => as('allocation', createAllocation()),
    podWorkers: (c) =>
      as(
        'podWorkers',
        createPodWorkers({
          syncer: c.syncer,
          cache: c.state.podCache,
          clock: c.common.clock,
          onSynced: () => c.syncLoop.scheduleHousekeeping(),
          requestRelist: (uid) => c.pleg.requestRelist(uid),
        }),
      ),
    runtime: () => as('runtime', makeRuntime(clock, images, environment)),
    statusSink: () => as('statusSink', sink),
    volumeManager: () => as('volumeManager', createVolumes()),
    probeManager: () => as('probeManager', createProbes()),
    stats: () => as('stats', createStats('node')),
  } satisfies PartReplacements;
  const host = createHost();
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [as('source', source)],
    rootDir: '/var/lib/agent',
    clock,
    logger,
    // Without a CRI nothing is evicted unless asked for.
    eviction: {},
    environment,
    host: as('host', { ...host, podDirs: as('podDirs', host.podDirs), files: as('files', host.files) }),
    parts: factories,
  });
  const removed: string[] = [];
  agent.on('removed', ({ metadata }) => removed.push(metadata?.name ?? ''));
  return { agent, calls, clock, logger, source, sink, removed, factories };
}

const web = buildPod({ name: 'web', volumes: [{ name: 'data', emptyDir: {} }] });

/** The call by which the agent shows that it uses the part, of every part that can be replaced. */
const proofs = {
  source: 'start',
  statusSink: 'statusChanged',
  runtime: 'syncPod',
  volumeManager: 'waitForAttachAndMount',
  probeManager: 'addPod',
  stats: 'summary',
  environment: 'getConfigMap',
  host: 'podDirs',
  podDirs: 'create',
  files: 'makeDirectory',
  statusManager: 'setPodStatus',
  pleg: 'relist',
  podWorkers: 'updatePod',
  imageManager: 'ensureImageExists',
  allocation: 'addPod',
  containerManager: 'updateQosCgroups',
} satisfies Record<string, string> & Record<keyof ReturnType<typeof setUp>['factories'], string>;

describe.each([
  ['only its contract', createRuntime],
  ['all capabilities', createCapableRuntime],
])('an agent of third-party parts, whose runtime has %s', (_, makeRuntime) => {
  it('starts a pod, reports it, keeps it, terminates it and stops', async () => {
    const { agent, calls, clock, source, sink, removed } = setUp(makeRuntime, [web]);
    const statuses = () => sink.carried.get('web') ?? [];
    const starts = () => calls.get('imageManager')?.get('ensureImageExists');
    await agent.start();
    await clock.until(() => statuses().at(-1)?.phase === 'Running');
    await clock.run(agent.ready);
    const running = statuses().at(-1);
    expect(running?.containerStatuses).toMatchObject([
      { name: 'main', ready: true, restartCount: 0, containerID: 'third-party://container-1' },
    ]);
    expect(running?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));

    await clock.advance(3_600_000);
    expect(starts()).toBe(1);
    expect(statuses().at(-1)).toEqual(running);

    source.set([]);
    await clock.until(() => removed.length > 0);
    expect(statuses().at(-1)?.containerStatuses).toMatchObject([{ ready: false, state: { terminated: { exitCode: 0 } } }]);
    expect(agent.pods()).toEqual([]);

    source.set([web]);
    await clock.until(() => statuses().at(-1)?.phase === 'Running');
    expect(starts()).toBe(2);
    await clock.run(agent.stopPods());
    expect(agent.pods()).toEqual([]);
    await agent.stop();
    expect(clock.pending).toBe(0);

    const used = Object.entries(proofs).filter(([part, method]) => calls.get(part)?.has(method));
    expect(used.map(([part]) => part)).toEqual(Object.keys(proofs));
  });
});

describe('an agent of third-party parts', () => {
  const missing = async (makeRuntime: typeof createRuntime) => {
    const { agent, clock, logger } = setUp(makeRuntime, []);
    await agent.start();
    await clock.advance(1000);
    await agent.stop();
    return logger.messages('warn').filter((message) => message.includes('parts.runtime has no'));
  };

  it('reports the missing capabilities of its runtime', async () => {
    expect(await missing(createRuntime)).toHaveLength(4);
    expect(await missing(createCapableRuntime)).toEqual([]);
  });

  it("uses the runtime's capabilities", async () => {
    const { agent, calls, clock } = setUp(createCapableRuntime, [web]);
    await agent.start();
    await clock.until(() => agent.pods()[0]?.status.phase === 'Running');
    const [{ pod } = { pod: web }] = agent.pods();
    const { signal } = new AbortController();
    const streams = { stdin: false, stdout: true, stderr: true, tty: false };
    expect((await agent.streaming.execUrl(pod, 'main', ['true'], streams, signal)).href).toBe('http://192.0.2.1/stream');
    await clock.run(agent.stopPods());
    await agent.stop();
    expect([...(calls.get('runtime')?.keys() ?? [])]).toEqual(
      expect.arrayContaining(['isPodResizeInProgress', 'actuatedPod', 'execUrl', 'deleteDeadContainers']),
    );
  });
});

describe('a third-party part keeps the contract of a', () => {
  defineSuite(
    { describe, it },
    podSourceSuite,
    () => {
      const source = createSource();
      return { subject: { source, set: source.set, advance: createVirtualClock().advance } };
    },
    { without: ['outage'] },
  );

  defineSuite(
    { describe, it },
    statusSinkSuite,
    () => {
      const clock = createVirtualClock();
      const sink = createSink();
      return {
        subject: { sink, addPod: () => {}, carried: (name) => sink.carried.get(name)?.at(-1), now: clock.now, advance: clock.advance },
      };
    },
    { without: ['outage'] },
  );

  const capabilities = ['ReconcilingVolumeManager', 'AttachingVolumeManager', 'GroupingVolumeManager', 'VolumeStatsSource'];
  defineSuite(
    { describe, it },
    volumeManagerSuite,
    () => {
      const manager = createVolumes();
      const mounted = (uid: string) => [...manager.getMountedVolumesForPod(uid).keys()];
      const pod = (uid: string, names: readonly string[]) =>
        buildPod({ name: uid, uid, volumes: names.map((name) => ({ name, emptyDir: {} })) });
      return { subject: { manager, pod, add: () => {}, end: () => {}, mounted, advance: createVirtualClock().advance } };
    },
    { without: [...capabilities, 'attachmentLimit', 'failures', 'restart'] },
  );
});
