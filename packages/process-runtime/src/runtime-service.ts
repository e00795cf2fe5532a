import type { Clock } from '@nodeagent/api';
import type { ListContainerStatsRequest, ListContainersRequest, ListPodSandboxRequest, RuntimeService } from '@nodeagent/cri-api';
import { createCalls } from './calls.js';
import type { Containers } from './containers.js';
import { failedPrecondition, invalidArgument, unimplemented } from './errors.js';
import type { EventHub } from './events.js';
import { isHostImage, unknownImage } from './host-image.js';
import type { Sandboxes } from './sandboxes.js';
import { measure, toContainerFilter, toContainerStats } from './stats.js';
import { serveAttach } from './streaming/attach.js';
import { serveExec } from './streaming/exec.js';
import { servePortForward } from './streaming/port-forward.js';
import { requestedStreams } from './streaming/requested-streams.js';
import type { StreamingServer } from './streaming/streaming-server.js';
import { toContainer, toContainerStatus, toSandbox, toSandboxStatus } from './views.js';

/** The version in the response to Version; it is not the version of the CRI. */
const criVersion = '0.1.0';

/** A started runtime. */
export interface StartedRuntime {
  sandboxes: Sandboxes;
  containers: Containers;
  events: EventHub;
  streams: StreamingServer;
}

export interface RuntimeServicePorts {
  clock: Clock;
  runtimeName: string;
  runtimeVersion: string;
  /** Undefined while the runtime is not started. */
  live(): StartedRuntime | undefined;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** The CRI's RuntimeService: validates requests and converts records to messages. */
export function createRuntimeService(ports: RuntimeServicePorts): RuntimeService {
  const { now } = ports;
  const { unary, listing } = createCalls(ports.clock);
  const notStarted = () => failedPrecondition('the runtime is not started', { retryable: true });
  const live = (): StartedRuntime => {
    const state = ports.live();
    if (state === undefined) throw notStarted();
    return state;
  };
  const seconds = (value = 0n): number => {
    if (value < 0n) throw invalidArgument('timeout', 'must not be negative');
    return Number(value) * 1000;
  };

  const stopSandbox = async (id: string, signal?: AbortSignal) => {
    const { containers, sandboxes } = live();
    const sandbox = sandboxes.find(id);
    if (sandbox === undefined) return;
    // Set to not ready first, so that no container starts while the others are being stopped.
    sandboxes.stop(sandbox.id);
    await Promise.all(containers.list({ podSandboxId: sandbox.id }).map((container) => containers.stop(container.id, 0, signal)));
  };

  const listContainerStats = async ({ filter }: ListContainerStatsRequest) => {
    const { containers } = live();
    const stats = containers.list(toContainerFilter(filter)).map(async (record) => {
      const run = containers.runOf(record.id);
      return run === undefined ? [] : [toContainerStats(record, await measure(await run.members()), now())];
    });
    return (await Promise.all(stats)).flat();
  };
  const listContainers = ({ filter }: ListContainersRequest) => ({ containers: live().containers.list(filter).map(toContainer) });
  const listSandboxes = ({ filter }: ListPodSandboxRequest) => live().sandboxes.list(filter).map(toSandbox);

  return {
    version: unary('Version', () => ({
      version: criVersion,
      runtimeName: ports.runtimeName,
      runtimeVersion: ports.runtimeVersion,
      runtimeApiVersion: 'v1',
    })),
    status: unary('Status', () => {
      const isReady = ports.live() !== undefined;
      const condition = (type: string) => ({
        type,
        status: isReady,
        reason: isReady ? '' : 'NotStarted',
        message: isReady ? '' : 'the runtime is not started',
      });
      return {
        status: { conditions: [condition('RuntimeReady'), condition('NetworkReady')] },
        info: {},
        runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
        features: { supplementalGroupsPolicy: false, userNamespacesHostNetwork: false },
      };
    }),
    runtimeConfig: unary('RuntimeConfig', () => ({ linux: { cgroupDriver: 'CGROUPFS' } })),
    updateRuntimeConfig: unary('UpdateRuntimeConfig', () => ({})),

    runPodSandbox: unary('RunPodSandbox', ({ config, runtimeHandler }) => {
      if (runtimeHandler) throw invalidArgument('runtime_handler', `no runtime for "${runtimeHandler}" is configured`);
      return { podSandboxId: live().sandboxes.run(config).id };
    }),
    stopPodSandbox: unary('StopPodSandbox', async ({ podSandboxId = '' }, signal) => {
      await stopSandbox(podSandboxId, signal);
      return {};
    }),
    removePodSandbox: unary('RemovePodSandbox', async ({ podSandboxId = '' }, signal) => {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.find(podSandboxId);
      if (sandbox === undefined) return {};
      await stopSandbox(sandbox.id, signal);
      await Promise.all(containers.list({ podSandboxId: sandbox.id }).map(({ id }) => containers.remove(id, signal)));
      sandboxes.remove(sandbox.id);
      return {};
    }),
    podSandboxStatus: unary('PodSandboxStatus', ({ podSandboxId = '' }) => {
      const { containers, sandboxes } = live();
      const record = sandboxes.get(podSandboxId);
      const containersStatuses = containers.list({ podSandboxId: record.id }).map(toContainerStatus);
      return { status: toSandboxStatus(record), info: {}, containersStatuses, timestamp: now() };
    }),
    listPodSandbox: unary('ListPodSandbox', (request) => ({ items: listSandboxes(request) })),
    streamPodSandboxes: listing('StreamPodSandboxes', (request) => ({ podSandboxes: listSandboxes(request) })),
    updatePodSandboxResources: unary('UpdatePodSandboxResources', ({ podSandboxId = '' }) => {
      live().sandboxes.get(podSandboxId);
      return {};
    }),

    createContainer: unary('CreateContainer', ({ podSandboxId = '', config = {} }) => {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${podSandboxId}" is not running`);
      const image = config.image?.image ?? '';
      if (!isHostImage(image)) throw unknownImage(config.image?.userSpecifiedImage || image);
      return { containerId: containers.create(sandbox, config).id };
    }),
    startContainer: unary('StartContainer', async ({ containerId = '' }) => {
      const { containers, sandboxes } = live();
      await containers.start(containerId, sandboxes.get);
      return {};
    }),
    stopContainer: unary('StopContainer', async ({ containerId = '', timeout }, signal) => {
      await live().containers.stop(containerId, seconds(timeout), signal);
      return {};
    }),
    removeContainer: unary('RemoveContainer', async ({ containerId = '' }, signal) => {
      await live().containers.remove(containerId, signal);
      return {};
    }),
    listContainers: unary('ListContainers', listContainers),
    streamContainers: listing('StreamContainers', listContainers),
    containerStatus: unary('ContainerStatus', ({ containerId = '' }) => ({
      status: toContainerStatus(live().containers.get(containerId)),
      info: {},
    })),
    updateContainerResources: unary('UpdateContainerResources', ({ containerId = '', linux }) => {
      live().containers.recordResources(containerId, linux ?? {});
      return {};
    }),
    reopenContainerLog: unary('ReopenContainerLog', async ({ containerId = '' }) => {
      await live().containers.reopenLog(containerId);
      return {};
    }),
    execSync: unary('ExecSync', ({ containerId = '', cmd = [], timeout }, signal) => {
      checkCommand(cmd);
      return live().containers.exec(containerId, cmd, seconds(timeout), signal);
    }),

    containerStats: unary('ContainerStats', async ({ containerId = '' }) => {
      const { containers } = live();
      const record = containers.get(containerId);
      const members = (await containers.runOf(record.id)?.members()) ?? [];
      return { stats: toContainerStats(record, await measure(members), now()) };
    }),
    listContainerStats: unary('ListContainerStats', async (request) => ({ stats: await listContainerStats(request) })),
    streamContainerStats: listing('StreamContainerStats', async (request) => ({ containerStats: await listContainerStats(request) })),
    getContainerEvents: (_request, options) => ports.live()?.events.subscribe(options?.signal) ?? failingStream(notStarted()),

    exec: unary('Exec', async ({ containerId = '', cmd = [], ...asked }) => {
      checkCommand(cmd);
      const requested = requestedStreams(asked);
      const { streams, containers } = live();
      const container = await containers.running(containerId);
      return { url: await streams.offer('exec', (client) => serveExec(client, container, cmd, requested, ports.clock)) };
    }),
    attach: unary('Attach', async ({ containerId = '', ...asked }) => {
      const requested = requestedStreams(asked);
      const { streams, containers } = live();
      const container = await containers.running(containerId);
      return { url: await streams.offer('attach', (client) => serveAttach(client, container, requested, ports.clock)) };
    }),
    portForward: unary('PortForward', async ({ podSandboxId = '' }) => {
      const { streams, sandboxes } = live();
      const { id, state } = sandboxes.get(podSandboxId);
      if (state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${id}" is not running`);
      return { url: await streams.offer('portforward', (client) => servePortForward(client, ports.clock)) };
    }),
    podSandboxStats: refuse('PodSandboxStats', 'a sandbox has no cgroup to measure'),
    listPodSandboxStats: refuse('ListPodSandboxStats', 'a sandbox has no cgroup to measure'),
    streamPodSandboxStats: refuseStream('StreamPodSandboxStats', 'a sandbox has no cgroup to measure'),
    checkpointContainer: refuse('CheckpointContainer', 'plain processes cannot be checkpointed'),
    listMetricDescriptors: refuse('ListMetricDescriptors', 'it has no metrics'),
    listPodSandboxMetrics: refuse('ListPodSandboxMetrics', 'it has no metrics'),
    streamPodSandboxMetrics: refuseStream('StreamPodSandboxMetrics', 'it has no metrics'),
  };
}

function checkCommand(cmd: readonly string[]): void {
  if ((cmd[0] ?? '') === '' || cmd.some((each) => each.includes('\0')))
    throw invalidArgument('cmd', 'must name a command, without NUL bytes');
}

function refuse(method: string, why: string): () => Promise<never> {
  return () => Promise.reject(unimplemented(method, why));
}

function refuseStream(method: string, why: string): () => AsyncIterable<never> {
  return () => failingStream(unimplemented(method, why));
}

/** A stream that fails at its first item. */
function failingStream(error: Error): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}
