import { frozenCopy } from '@nodeagent/api';
import type { Container, ContainerStats, PodSandbox, PodSandboxStats, RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from './calls.js';
import { criError } from './errors.js';
import type { MemoryNode } from './memory-node.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { containerStats, podSandboxStats } from './stats.js';
import { containerStatus, hasLabels, listedContainer, listedSandbox, matchesContainer, matchesSandbox, sandboxStatus } from './views.js';

/** Number of items in one message of a streamed listing. */
const streamChunk = 100;

const encoder = new TextEncoder();

/** CRI's RuntimeService over the simulated node; every method passes the gate. */
export function createRuntimeService(node: MemoryNode, gate: CallGate): RuntimeService {
  const { clock, runtimeName, runtimeVersion, cgroupDriver } = node.options;

  const containersOf = (filter: Parameters<typeof matchesContainer>[1]): ContainerRecord[] => {
    const { id, podSandboxId, labelSelector } = filter ?? {};
    const ofSandbox = podSandboxId ? (node.sandboxes.get(podSandboxId)?.containers ?? []) : undefined;
    const found = id ? one(node.containers.get(id)) : (ofSandbox ?? node.containers.candidates(labelSelector));
    return [...found].filter((record) => matchesContainer(record, filter));
  };
  const sandboxesOf = (filter: Parameters<typeof matchesSandbox>[1]): SandboxRecord[] => {
    const found = filter?.id ? one(node.sandboxes.get(filter.id)) : node.sandboxes.candidates(filter?.labelSelector);
    return [...found].filter((record) => matchesSandbox(record, filter));
  };
  const runningStats = (filter: Parameters<typeof matchesContainer>[1]): ContainerStats[] =>
    containersOf({ ...filter, state: { state: 'CONTAINER_RUNNING' } }).map((record) => containerStats(record, clock.now()));
  const sandboxStats = (filter: { id?: string; labelSelector?: Record<string, string> } = {}): PodSandboxStats[] =>
    sandboxesOf({ ...(filter.id && { id: filter.id }) })
      .filter(({ config, state }) => state === 'SANDBOX_READY' && hasLabels(config.labels, filter.labelSelector))
      .map((record) => podSandboxStats(record, clock.now()));

  return {
    version: (request, options = {}) =>
      gate.call('version', request, options, () => ({
        version: '0.1.0',
        runtimeName,
        runtimeVersion,
        runtimeApiVersion: 'v1',
      })),
    status: (request, options = {}) => gate.call('status', request, options, () => node.status()),
    runtimeConfig: (request, options = {}) => gate.call('runtimeConfig', request, options, () => ({ linux: { cgroupDriver } })),
    updateRuntimeConfig: (request, options = {}) => gate.call('updateRuntimeConfig', request, options, () => ({})),

    runPodSandbox: (request, options = {}) =>
      gate.call('runPodSandbox', request, options, () => ({ podSandboxId: node.createSandbox(request).id })),
    stopPodSandbox: (request, options = {}) =>
      gate.call('stopPodSandbox', request, options, () => {
        const sandbox = node.sandboxes.get(request.podSandboxId ?? '');
        if (sandbox) node.stopSandbox(sandbox);
        return {};
      }),
    removePodSandbox: (request, options = {}) =>
      gate.call('removePodSandbox', request, options, () => {
        const sandbox = node.sandboxes.get(request.podSandboxId ?? '');
        if (sandbox) node.removeSandbox(sandbox);
        return {};
      }),
    podSandboxStatus: (request, options = {}) =>
      gate.call('podSandboxStatus', request, options, () => {
        const sandbox = node.requireSandbox(request.podSandboxId ?? '');
        return { status: sandboxStatus(sandbox), info: {}, containersStatuses: [], timestamp: 0n };
      }),
    listPodSandbox: (request, options = {}) =>
      gate.call('listPodSandbox', request, options, () => ({ items: sandboxesOf(request.filter).map(listedSandbox) })),
    streamPodSandboxes: (request, options = {}) =>
      gate.stream('streamPodSandboxes', request, options, () =>
        chunks(sandboxesOf(request.filter).map(listedSandbox), (podSandboxes: PodSandbox[]) => ({ podSandboxes })),
      ),

    createContainer: (request, options = {}) =>
      gate.call('createContainer', request, options, () => ({ containerId: node.createContainer(request).id })),
    startContainer: (request, options = {}) =>
      gate.call('startContainer', request, options, async (context) => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.sandbox.state !== 'SANDBOX_READY') {
          throw criError('CRI_UNKNOWN', `sandbox container "${container.sandbox.id}" is not running`);
        }
        await node.runner.start(container, context);
        return {};
      }),
    stopContainer: (request, options = {}) =>
      gate.call('stopContainer', request, options, async (context) => {
        const container = node.containers.get(request.containerId ?? '');
        if (container) await node.runner.stop(container, Number(request.timeout ?? 0n) * 1_000, context);
        return {};
      }),
    removeContainer: (request, options = {}) =>
      gate.call('removeContainer', request, options, () => {
        const container = node.containers.get(request.containerId ?? '');
        if (container) node.removeContainer(container);
        return {};
      }),
    listContainers: (request, options = {}) =>
      gate.call('listContainers', request, options, () => ({ containers: containersOf(request.filter).map(listedContainer) })),
    streamContainers: (request, options = {}) =>
      gate.stream('streamContainers', request, options, () =>
        chunks(containersOf(request.filter).map(listedContainer), (containers: Container[]) => ({ containers })),
      ),
    containerStatus: (request, options = {}) =>
      gate.call('containerStatus', request, options, () => ({
        status: containerStatus(node.requireContainer(request.containerId ?? '')),
        info: {},
      })),
    updateContainerResources: (request, options = {}) =>
      gate.call('updateContainerResources', request, options, () => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.state === 'CONTAINER_EXITED') {
          throw criError(
            'CRI_FAILED_PRECONDITION',
            `failed to update resources: container "${container.id}" is in ${container.state} state`,
          );
        }
        container.resources = frozenCopy({ ...container.resources, ...request.linux });
        return {};
      }),
    updatePodSandboxResources: (request, options = {}) =>
      gate.call('updatePodSandboxResources', request, options, () => {
        const sandbox = node.requireSandbox(request.podSandboxId ?? '');
        sandbox.overhead = frozenCopy(request.overhead ?? sandbox.overhead);
        sandbox.resources = frozenCopy(request.resources ?? sandbox.resources);
        return {};
      }),
    reopenContainerLog: (request, options = {}) =>
      gate.call('reopenContainerLog', request, options, () => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.state !== 'CONTAINER_RUNNING') throw criError('CRI_FAILED_PRECONDITION', 'container is not running');
        return {};
      }),

    execSync: (request, options = {}) =>
      gate.call('execSync', request, options, async (context) => {
        const container = node.requireContainer(request.containerId ?? '');
        const timeoutMs = Number(request.timeout ?? 0n) * 1_000;
        const { exitCode, stdout, stderr } = await node.runner.exec(container, [...(request.cmd ?? [])], timeoutMs, context);
        return { exitCode, stdout: encoder.encode(stdout), stderr: encoder.encode(stderr) };
      }),
    exec: (request, options = {}) =>
      gate.call('exec', request, options, () => ({ url: streamingUrl('exec', runningContainer(node, request.containerId)) })),
    attach: (request, options = {}) =>
      gate.call('attach', request, options, () => ({ url: streamingUrl('attach', runningContainer(node, request.containerId)) })),
    portForward: (request, options = {}) =>
      gate.call('portForward', request, options, () => ({
        url: streamingUrl('portforward', node.requireSandbox(request.podSandboxId ?? '')),
      })),

    containerStats: (request, options = {}) =>
      gate.call('containerStats', request, options, () => ({
        stats: containerStats(node.requireContainer(request.containerId ?? ''), clock.now()),
      })),
    listContainerStats: (request, options = {}) =>
      gate.call('listContainerStats', request, options, () => ({ stats: runningStats(request.filter) })),
    streamContainerStats: (request, options = {}) =>
      gate.stream('streamContainerStats', request, options, () =>
        chunks(runningStats(request.filter), (containerStats: ContainerStats[]) => ({ containerStats })),
      ),
    podSandboxStats: (request, options = {}) =>
      gate.call('podSandboxStats', request, options, () => ({
        stats: podSandboxStats(node.requireSandbox(request.podSandboxId ?? ''), clock.now()),
      })),
    listPodSandboxStats: (request, options = {}) =>
      gate.call('listPodSandboxStats', request, options, () => ({ stats: sandboxStats(request.filter) })),
    streamPodSandboxStats: (request, options = {}) =>
      gate.stream('streamPodSandboxStats', request, options, () =>
        chunks(sandboxStats(request.filter), (podSandboxStats: PodSandboxStats[]) => ({ podSandboxStats })),
      ),
    listMetricDescriptors: (request, options = {}) => gate.call('listMetricDescriptors', request, options, () => ({ descriptors: [] })),
    listPodSandboxMetrics: (request, options = {}) => gate.call('listPodSandboxMetrics', request, options, () => ({ podMetrics: [] })),
    streamPodSandboxMetrics: (request, options = {}) =>
      gate.stream('streamPodSandboxMetrics', request, options, () => chunks([], () => ({ podSandboxMetrics: [] }))),

    getContainerEvents: (request, options = {}) =>
      gate.stream('getContainerEvents', request, options, (context) => node.events.subscribe(context)),
    checkpointContainer: (request, options = {}) =>
      gate.call('checkpointContainer', request, options, () => {
        throw criError('CRI_UNIMPLEMENTED', 'method CheckpointContainer not implemented');
      }),
  };
}

function one<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

async function* chunks<T, R>(items: T[], wrap: (chunk: T[]) => R): AsyncGenerator<R, void, undefined> {
  for (let from = 0; from < items.length; from += streamChunk) yield wrap(items.slice(from, from + streamChunk));
}

function runningContainer(node: MemoryNode, id = ''): ContainerRecord {
  const container = node.requireContainer(id);
  if (container.state !== 'CONTAINER_RUNNING') throw criError('CRI_UNKNOWN', `container is in ${container.state} state`);
  return container;
}

/** No server listens at this URL: the in-memory runtime has no streaming server. */
function streamingUrl(kind: string, { id }: { id: string }): string {
  return `http://memory-runtime.invalid/${kind}/${id.slice(0, 13)}`;
}
