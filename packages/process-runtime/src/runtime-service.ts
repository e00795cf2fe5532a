import type { Clock } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import type { Containers } from './containers.js';
import { failedPrecondition, invalidArgument, unimplemented } from './errors.js';
import type { EventHub } from './events.js';
import { isHostImage, unknownImage } from './host-image.js';
import type { Sandboxes } from './sandboxes.js';
import { measure, toContainerFilter, toContainerStats } from './stats.js';
import { toContainer, toContainerStatus, toSandbox, toSandboxStatus } from './views.js';
import { withCallLimits } from './waiting.js';

/** The CRI's version of its Version call, which is not that of the API. */
const criVersion = '0.1.0';

/** A runtime that is started. */
export interface LiveState {
  sandboxes: Sandboxes;
  containers: Containers;
  events: EventHub;
}

export interface RuntimeServicePorts {
  clock: Clock;
  runtimeName: string;
  runtimeVersion: string;
  /** Undefined while the runtime is not started. */
  live(): LiveState | undefined;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** The CRI's RuntimeService on sandboxes and containers: requests checked, records turned into messages. */
export function createRuntimeService(ports: RuntimeServicePorts): RuntimeService {
  const { clock, now } = ports;
  const notStarted = () => failedPrecondition('the runtime is not started', { retryable: true });
  const live = (): LiveState => {
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
    // Not ready first, so that no container starts behind the ones that are being stopped.
    sandboxes.stop(sandbox.id);
    await Promise.all(containers.list({ podSandboxId: sandbox.id }).map((container) => containers.stop(container.id, 0, signal)));
  };

  const listContainerStats: RuntimeService['listContainerStats'] = async ({ filter }) => {
    const { containers } = live();
    const stats = containers.list(toContainerFilter(filter)).map(async (record) => {
      const run = containers.runOf(record.id);
      return run === undefined ? [] : [toContainerStats(record, await measure(await run.members()), now())];
    });
    return { stats: (await Promise.all(stats)).flat() };
  };
  const listContainers: RuntimeService['listContainers'] = async ({ filter }) => ({
    containers: live().containers.list(filter).map(toContainer),
  });
  const listPodSandbox: RuntimeService['listPodSandbox'] = async ({ filter }) => ({ items: live().sandboxes.list(filter).map(toSandbox) });

  return {
    version: async () => ({
      version: criVersion,
      runtimeName: ports.runtimeName,
      runtimeVersion: ports.runtimeVersion,
      runtimeApiVersion: 'v1',
    }),
    async status() {
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
    },
    runtimeConfig: async () => ({ linux: { cgroupDriver: 'CGROUPFS' } }),
    updateRuntimeConfig: async () => ({}),

    async runPodSandbox({ config, runtimeHandler }) {
      if (runtimeHandler) throw invalidArgument('runtime_handler', `no runtime for "${runtimeHandler}" is configured`);
      return { podSandboxId: live().sandboxes.run(config).id };
    },
    async stopPodSandbox({ podSandboxId = '' }, options) {
      await withCallLimits(clock, 'StopPodSandbox', options, (signal) => stopSandbox(podSandboxId, signal));
      return {};
    },
    async removePodSandbox({ podSandboxId = '' }, options) {
      await withCallLimits(clock, 'RemovePodSandbox', options, async (signal) => {
        const { containers, sandboxes } = live();
        const sandbox = sandboxes.find(podSandboxId);
        if (sandbox === undefined) return;
        await stopSandbox(sandbox.id, signal);
        await Promise.all(containers.list({ podSandboxId: sandbox.id }).map(({ id }) => containers.remove(id, signal)));
        sandboxes.remove(sandbox.id);
      });
      return {};
    },
    async podSandboxStatus({ podSandboxId = '' }) {
      const { containers, sandboxes } = live();
      const record = sandboxes.get(podSandboxId);
      const containersStatuses = containers.list({ podSandboxId: record.id }).map(toContainerStatus);
      return { status: toSandboxStatus(record), info: {}, containersStatuses, timestamp: now() };
    },
    listPodSandbox,
    async *streamPodSandboxes(request) {
      yield { podSandboxes: (await listPodSandbox(request)).items };
    },
    async updatePodSandboxResources({ podSandboxId = '' }) {
      live().sandboxes.get(podSandboxId);
      return {};
    },

    async createContainer({ podSandboxId = '', config = {} }) {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${podSandboxId}" is not running`);
      const image = config.image?.image ?? '';
      if (!isHostImage(image)) throw unknownImage(config.image?.userSpecifiedImage || image);
      return { containerId: containers.create(sandbox, config).id };
    },
    async startContainer({ containerId = '' }) {
      const { containers, sandboxes } = live();
      await containers.start(containerId, sandboxes.get);
      return {};
    },
    async stopContainer({ containerId = '', timeout }, options) {
      await withCallLimits(clock, 'StopContainer', options, (signal) => live().containers.stop(containerId, seconds(timeout), signal));
      return {};
    },
    async removeContainer({ containerId = '' }, options) {
      await withCallLimits(clock, 'RemoveContainer', options, (signal) => live().containers.remove(containerId, signal));
      return {};
    },
    listContainers,
    async *streamContainers(request) {
      yield await listContainers(request);
    },
    containerStatus: async ({ containerId = '' }) => ({ status: toContainerStatus(live().containers.get(containerId)), info: {} }),
    async updateContainerResources({ containerId = '', linux }) {
      live().containers.recordResources(containerId, linux ?? {});
      return {};
    },
    async reopenContainerLog({ containerId = '' }) {
      await live().containers.reopenLog(containerId);
      return {};
    },
    async execSync({ containerId = '', cmd = [], timeout }, options) {
      if ((cmd[0] ?? '') === '' || cmd.some((each) => each.includes('\0')))
        throw invalidArgument('cmd', 'must name a command, without NUL bytes');
      return withCallLimits(clock, 'ExecSync', options, (signal) => live().containers.exec(containerId, cmd, seconds(timeout), signal));
    },

    async containerStats({ containerId = '' }) {
      const { containers } = live();
      const record = containers.get(containerId);
      const members = (await containers.runOf(record.id)?.members()) ?? [];
      return { stats: toContainerStats(record, await measure(members), now()) };
    },
    listContainerStats,
    async *streamContainerStats(request) {
      yield { containerStats: (await listContainerStats(request)).stats };
    },
    getContainerEvents: (_request, options) => ports.live()?.events.subscribe(options?.signal) ?? failingStream(notStarted()),

    exec: refuse('Exec', 'it has no streaming server'),
    attach: refuse('Attach', 'it has no streaming server'),
    portForward: refuse('PortForward', 'it has no streaming server; containers share the machine and can be reached at its address'),
    podSandboxStats: refuse('PodSandboxStats', 'a sandbox has no cgroup to measure'),
    listPodSandboxStats: refuse('ListPodSandboxStats', 'a sandbox has no cgroup to measure'),
    streamPodSandboxStats: refuseStream('StreamPodSandboxStats', 'a sandbox has no cgroup to measure'),
    checkpointContainer: refuse('CheckpointContainer', 'plain processes cannot be checkpointed'),
    listMetricDescriptors: refuse('ListMetricDescriptors', 'it has no metrics'),
    listPodSandboxMetrics: refuse('ListPodSandboxMetrics', 'it has no metrics'),
    streamPodSandboxMetrics: refuseStream('StreamPodSandboxMetrics', 'it has no metrics'),
  };
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
