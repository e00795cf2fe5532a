import type { Pod, Runtime } from '@nodeagent/api';
import type { TestRuntime } from '@nodeagent/compliance/doubles';
import { buildPod, createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createNodeAgent } from './create-node-agent.js';
import { type Calls, counted } from './third-party/test-counted.js';
import { createSink, createSource, onlyItsContract, thirdPartyParts } from './third-party/test-parts.js';
import { createEnvironment, createHost } from './third-party/test-small-parts.js';

type ChangeRuntime = (runtime: TestRuntime) => Runtime;
const allCapabilities: ChangeRuntime = (runtime) => runtime;

/** An agent with a third-party implementation of every replaceable part, and the calls of each. */
function setUp(runtime: ChangeRuntime, pods: Pod[]) {
  const calls: Calls = new Map();
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const as = <T extends object>(name: string, part: T): T => counted(calls, name, part);
  const environment = as('environment', createEnvironment());
  const { source, set } = createSource(clock);
  const { sink, carried } = createSink(clock);
  set(pods);
  const factories = thirdPartyParts({ clock, environment, sink, runtime }, as);
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
  return { agent, calls, clock, logger, set, carried, removed, factories };
}

const web = buildPod({ name: 'web', uid: 'web', volumes: [{ name: 'data', emptyDir: {} }] });

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
  ['only its contract', onlyItsContract],
  ['all capabilities', allCapabilities],
])('an agent of third-party parts, whose runtime has %s', (_, changeRuntime) => {
  it('starts a pod, reports it, keeps it, terminates it and stops', async () => {
    const { agent, calls, clock, set, carried, removed } = setUp(changeRuntime, [web]);
    const statuses = () => carried.get('web') ?? [];
    const starts = () => calls.get('imageManager')?.get('ensureImageExists');
    await agent.start();
    await clock.until(() => statuses().at(-1)?.phase === 'Running');
    await clock.run(agent.ready);
    const running = statuses().at(-1);
    expect(running?.containerStatuses).toMatchObject([
      { name: 'main', ready: true, restartCount: 0, containerID: expect.stringMatching(/^records:\/\/container-/) },
    ]);
    expect(running?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));

    await clock.advance(3_600_000);
    expect(starts()).toBe(1);
    expect(statuses().at(-1)).toEqual(running);

    set([]);
    await clock.until(() => removed.length > 0);
    expect(statuses().at(-1)?.containerStatuses).toMatchObject([{ ready: false, state: { terminated: { exitCode: 143 } } }]);
    expect(agent.pods()).toEqual([]);

    set([web]);
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
  const missing = async (changeRuntime: ChangeRuntime) => {
    const { agent, clock, logger } = setUp(changeRuntime, []);
    await agent.start();
    await clock.advance(1000);
    await agent.stop();
    return logger.messages('warn').filter((message) => message.includes('parts.runtime has no'));
  };

  it('reports the missing capabilities of its runtime', async () => {
    expect(await missing(onlyItsContract)).toHaveLength(4);
    expect(await missing(allCapabilities)).toEqual([]);
  });

  it("uses the runtime's capabilities", async () => {
    const { agent, calls, clock } = setUp(allCapabilities, [web]);
    await agent.start();
    await clock.until(() => agent.pods()[0]?.status.phase === 'Running');
    const [{ pod } = { pod: web }] = agent.pods();
    const { signal } = new AbortController();
    const streams = { stdin: false, stdout: true, stderr: true, tty: false };
    expect((await agent.streaming.execUrl(pod, 'main', ['true'], streams, signal)).href).toMatch(/^http:\/\/127\.0\.0\.1:1\/container-/);
    await clock.run(agent.stopPods());
    await agent.stop();
    expect([...(calls.get('runtime')?.keys() ?? [])]).toEqual(
      expect.arrayContaining(['isPodResizeInProgress', 'actuatedPod', 'execUrl', 'deleteDeadContainers']),
    );
  });
});
