import type { MachineTopology, Pod, ResourceList } from '@nodeagent/api';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createMemoryPodDirs } from '../host/memory-pod-dirs.js';
import { createTestAgent, type TestAgentOptions, testMachine } from '../test-agent.js';

/** Two NUMA nodes with four CPUs each: CPU 0 and 1 are one core. */
const topology: MachineTopology = {
  cpus: Array.from({ length: 8 }, (_, cpu) => {
    const node = cpu < 4 ? 0 : 1;
    return { cpu, core: cpu - (cpu % 2), socket: node, numaNode: node, uncoreCache: node };
  }),
  numaNodes: [0, 1].map((id) => ({ id, memoryBytes: 4 * 2 ** 30, hugePages: [], distances: id === 0 ? [10, 20] : [20, 10] })),
};

const guaranteed = (name: string, limits: ResourceList): Pod =>
  buildPod({ name, uid: name, containers: [{ name: 'main', image: 'busybox:1', resources: { limits, requests: limits } }] });
const shared = (name: string): Pod => buildPod({ name, uid: name, containers: [{ name: 'main', image: 'busybox:1' }] });
const pinned = guaranteed('pinned', { cpu: '2', memory: '64Mi' });

/** An agent on that machine, which reserves one CPU. */
function node(pods: Pod[], resourceManagers: TestAgentOptions['resourceManagers'], options: TestAgentOptions = {}) {
  const files = createMemoryFiles();
  const cgroups = createMemoryCgroups();
  const machine = { ...testMachine.machine, cpus: 8, topology };
  const agent = createTestAgent(pods, {
    files,
    podDirs: createMemoryPodDirs(files),
    host: { files, podDirs: createMemoryPodDirs(files), cgroups: cgroups.files, machine },
    settings: { resolvConf: '', cgroupsPerQOS: true },
    node: { systemReserved: { cpu: '1', memory: '1Gi' } },
    resourceManagers: { cpuManagerPolicy: 'static', ...resourceManagers },
    ...options,
  });
  const requests = (method: string) => agent.memory.calls.filter((call) => call.method === method).map(({ request }) => request);
  /** `<pod> <cpuset.cpus> <cpuset.mems> <quota>` of the created containers. */
  const created = () => (requests('createContainer') as CreateRequest[]).map(describeContainer);
  const updates = () =>
    (requests('updateContainerResources') as UpdateRequest[]).map(({ containerId, linux }) => {
      const { pod } = agent.memory.containers('main').find(({ id }) => id === containerId) ?? {};
      return [pod, linux];
    });
  const stateFile = () => JSON.parse(files.entries.get('/var/lib/nodeagent/cpu_manager_state') ?? '{}');
  return { ...agent, files, cgroups, created, updates, stateFile };
}

interface CreateRequest {
  sandboxConfig: { metadata: { name: string } };
  config: { linux: { resources: { cpusetCpus?: string; cpusetMems?: string; cpuQuota?: bigint } } };
}

interface UpdateRequest {
  containerId: string;
  linux: object;
}

function describeContainer({ sandboxConfig, config }: CreateRequest): string {
  const { cpusetCpus = '', cpusetMems = '', cpuQuota } = config.linux.resources;
  return `${sandboxConfig.metadata.name} cpus=${cpusetCpus} mems=${cpusetMems} quota=${cpuQuota}`;
}

it('a Guaranteed pod gets exclusive CPUs, which running containers lose', async () => {
  const { agent, source, clock, created, updates, untilReady, cgroups, stateFile } = node([shared('web')], {});
  await agent.start();
  await untilReady('web');
  source.set([shared('web'), pinned]);
  await untilReady('pinned');
  expect(created()).toEqual(['web cpus=0-7 mems= quota=0', 'pinned cpus=2-3 mems= quota=-1']);
  expect(cgroups.text('/kubepods/podpinned', 'cpu.max')).toBe('max 100000');
  await clock.until(() => updates().length > 0);
  expect(updates()).toEqual([['web', { cpusetCpus: '0-1,4-7' }]]);
  expect(stateFile()).toMatchObject({ policyName: 'static', defaultCpuSet: '0-1,4-7', entries: { pinned: { main: '2-3' } } });
  expect(agent.podAssignments('pinned')).toEqual({ containers: [{ containerName: 'main', cpus: '2-3' }] });
  expect([agent.podAssignments('web'), agent.podAssignments('unknown')]).toEqual([undefined, undefined]);

  // The CPUs of a removed pod are taken back once another pod has been admitted, as in the kubelet.
  source.set([shared('web'), shared('next')]);
  await clock.until(() => updates().length > 1, 120_000);
  expect(updates().slice(1)).toEqual(['web', 'next'].map((pod) => [pod, { cpusetCpus: '0-7' }]));
  await agent.stop();
  expect(clock.pending).toBe(0);
});

it('a removed pod keeps its CPUs until its containers have stopped', async () => {
  const { agent, source, clock, memory, created, untilReady } = node([pinned], {});
  memory.script('main', { onStop: 'ignore' });
  await agent.start();
  await untilReady('pinned');
  source.set([guaranteed('next', { cpu: '2', memory: '64Mi' })]);
  await untilReady('next');
  expect(memory.containers('main').map(({ pod, state }) => `${pod} ${state}`)).toEqual(['pinned running', 'next running']);
  await clock.until(() => !memory.containers('main').some(({ pod, state }) => pod === 'pinned' && state === 'running'), 120_000);
  await clock.advance(5_000);
  source.set([guaranteed('next', { cpu: '2', memory: '64Mi' }), guaranteed('last', { cpu: '4', memory: '64Mi' })]);
  await untilReady('last');
  expect(created()).toEqual(['pinned cpus=2-3 mems= quota=-1', 'next cpus=4-5 mems= quota=-1', 'last cpus=2-3,6-7 mems= quota=-1']);
  await agent.stop();
});

it('a static pod gets the CPUs of the previous pod of its name, which has stopped', async () => {
  const version = (uid: string) => {
    const pod = guaranteed('static', { cpu: '6', memory: '64Mi' });
    return { ...pod, metadata: { ...pod.metadata, uid, annotations: { 'kubernetes.io/config.source': 'file' } } };
  };
  const { agent, source, clock, memory, created, untilReady } = node([version('a')], {}, { sourceName: 'file' });
  memory.script('main', { onStop: 'ignore' });
  await agent.start();
  await untilReady('static');
  source.set([version('b')]);
  await clock.until(() => created().length > 1, 120_000);
  expect(created()).toEqual(Array(2).fill('static cpus=2-7 mems= quota=-1'));
  expect(memory.containers('main').filter(({ state }) => state === 'running')).toHaveLength(1);
  await untilReady('static');
  await agent.stop();
});

it('a restarted agent keeps the CPUs of running containers', async () => {
  const first = node([pinned], {});
  await first.agent.start();
  await first.untilReady('pinned');
  await first.agent.stop();
  const second = first.again([pinned, guaranteed('next', { cpu: '2', memory: '64Mi' })]);
  await second.agent.start();
  await second.untilReady('next');
  expect(first.created()).toEqual(['pinned cpus=2-3 mems= quota=-1', 'next cpus=4-5 mems= quota=-1']);
  expect(first.stateFile().entries).toEqual({ pinned: { main: '2-3' }, next: { main: '4-5' } });
  await second.agent.stop();
});

it.each<[string, string, string]>([
  ['a corrupt state file', '{"policyName":"static"', 'could not restore state from checkpoint'],
  [
    'a state file of another policy',
    '{"policyName":"none","defaultCpuSet":"","checksum":0}',
    'configured policy "static" differs from state checkpoint policy "none"',
  ],
  [
    'a state file of another machine',
    '{"policyName":"static","defaultCpuSet":"0-3","checksum":0}',
    'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"',
  ],
])('%s fails the start', async (_, text, message) => {
  const { agent, files } = node([], {});
  await files.writeFile('/var/lib/nodeagent/cpu_manager_state', text, 0o600);
  await expect(agent.start()).rejects.toMatchObject({ code: 'InvalidCpuManagerState', message: expect.stringContaining(message) });
  await agent.stop();
});

it('the topology manager refuses a pod that no NUMA node can serve', async () => {
  const { agent, clock, status, eventLines, created } = node([guaranteed('wide', { cpu: '6', memory: '64Mi' })], {
    topologyManagerPolicy: 'single-numa-node',
  });
  await agent.start();
  await clock.until(() => status('wide')?.phase === 'Failed');
  const message = 'Resources cannot be allocated with Topology locality';
  expect(status('wide')).toMatchObject({ reason: 'TopologyAffinityError', message: `Pod was rejected: ${message}` });
  expect([eventLines('wide'), created()]).toEqual([[`Warning TopologyAffinityError ${message}`], []]);
  expect(agent.podAssignments('wide')).toMatchObject({
    containers: [],
    topology: {
      alignments: [
        { containerName: 'main', admit: false, reasons: ['cpu (cpus) cannot be provided from NUMA nodes that the policy accepts'] },
      ],
    },
  });
  await agent.stop();
});

it('a pod that would split a core is refused with full-pcpus-only', async () => {
  const { agent, clock, status } = node([guaranteed('odd', { cpu: '3', memory: '64Mi' })], {
    cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' },
  });
  await agent.start();
  await clock.until(() => status('odd')?.phase === 'Failed');
  expect(status('odd')).toMatchObject({
    reason: 'SMTAlignmentError',
    message: 'Pod was rejected: SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
  });
  await agent.stop();
});

it('a pod for which no CPUs are left is refused before its resources are checked', async () => {
  const { agent, clock, status } = node([guaranteed('huge', { cpu: '8', memory: '64Mi' })], {});
  await agent.start();
  await clock.until(() => status('huge')?.phase === 'Failed');
  expect(status('huge')).toMatchObject({
    reason: 'UnexpectedAdmissionError',
    message:
      'Pod was rejected: Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, which is unexpected',
  });
  await agent.stop();
});

it('a Guaranteed pod gets memory of a NUMA node', async () => {
  const { agent, created, untilReady, files } = node([pinned], {
    memoryManagerPolicy: 'Static',
    reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    topologyManagerPolicy: 'restricted',
  });
  await agent.start();
  await untilReady('pinned');
  expect(created()).toEqual(['pinned cpus=2-3 mems=0 quota=-1']);
  expect(files.entries.get('/var/lib/nodeagent/memory_manager_state')).toContain('"entries":{"pinned":{"main":[{"numaAffinity":[0]');
  await agent.stop();
});

it('memory that is not reserved as Node Allocatable demands fails the start', async () => {
  const { agent } = node([], { memoryManagerPolicy: 'Static', reservedMemory: [{ numaNode: 0, limits: { memory: '2Gi' } }] });
  await expect(agent.start()).rejects.toMatchObject({
    code: 'InvalidOption',
    details: { field: 'resourceManagers.reservedMemory' },
    message: expect.stringContaining(
      'the total amount "2Gi" of type "memory" is not equal to the value "1Gi" determined by Node Allocatable feature',
    ),
  });
  await agent.stop();
});

it.each<[string, ResourceList, string]>([
  ['CPUs', { cpu: '3', memory: '64Mi' }, 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"'],
  ['memory', { cpu: '2', memory: '128Mi' }, 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"'],
])('a resize of the %s of a Guaranteed pod is infeasible', async (_, limits, message) => {
  const reservedMemory = [{ numaNode: 0, limits: { memory: '1Gi' } }];
  const { agent, source, clock, untilReady, events } = node(
    [pinned],
    { memoryManagerPolicy: 'Static', reservedMemory },
    { sourceName: 'api' },
  );
  await agent.start();
  await untilReady('pinned');
  source.set([guaranteed('pinned', limits)]);
  await clock.until(() => events.some(({ reason }) => reason === 'ResizeInfeasible'));
  const { message: text = '' } = events.find(({ reason }) => reason === 'ResizeInfeasible') ?? {};
  expect(JSON.parse(text.replace('Pod resize Infeasible: ', ''))).toMatchObject({ error: message });
  await agent.stop();
});

it('the reserved CPUs are those of reservedSystemCPUs', async () => {
  const { agent, created, untilReady } = node([pinned], { reservedSystemCPUs: '2-3' });
  await agent.start();
  await untilReady('pinned');
  expect(created()).toEqual(['pinned cpus=0-1 mems= quota=-1']);
  await agent.stop();
});

it('hooks of the options are called too, and their resources take precedence', async () => {
  const calls: string[] = [];
  const { agent, source, clock, created, untilReady, removed } = node(
    [pinned],
    {},
    {
      runtimeOptions: {
        containerLifecycle: {
          preCreate: async () => ({ cpusetMems: '1' }),
          preStart: async () => void calls.push('preStart'),
          postStop: async () => void calls.push('postStop'),
        },
      },
    },
  );
  await agent.start();
  await untilReady('pinned');
  expect(created()).toEqual(['pinned cpus=2-3 mems=1 quota=-1']);
  source.set([]);
  await clock.until(() => removed.length === 1);
  expect(calls).toContain('preStart');
  expect(calls).toContain('postStop');
  await agent.stop();
});

it('exclusive CPUs need cgroups of pods', () => {
  expect(() => node([], {}, { settings: { resolvConf: '' } })).toThrow(
    expect.objectContaining({ details: { field: 'resourceManagers.cpuManagerPolicy' } }),
  );
});
