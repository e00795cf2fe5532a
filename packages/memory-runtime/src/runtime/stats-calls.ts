import type { ContainerStats, PodSandboxStats, RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from '../calls.js';
import type { MemoryNode } from '../memory-node.js';
import { containerStats, podSandboxStats } from '../stats.js';
import { hasLabels, type matchesContainer } from '../views.js';
import { chunks, containersOf, sandboxesOf } from './selection.js';

/** The calls for stats and metrics. */
export function statsCalls(node: MemoryNode, gate: CallGate) {
  return {
    containerStats: (request, options = {}) =>
      gate.call('containerStats', request, options, () => ({
        stats: containerStats(node.requireContainer(request.containerId ?? ''), node.options.clock.now()),
      })),
    listContainerStats: (request, options = {}) =>
      gate.call('listContainerStats', request, options, () => ({ stats: runningStats(node, request.filter) })),
    streamContainerStats: (request, options = {}) =>
      gate.stream('streamContainerStats', request, options, () =>
        chunks(runningStats(node, request.filter), (containerStats: ContainerStats[]) => ({ containerStats })),
      ),
    podSandboxStats: (request, options = {}) =>
      gate.call('podSandboxStats', request, options, () => ({
        stats: podSandboxStats(node.requireSandbox(request.podSandboxId ?? ''), node.options.clock.now()),
      })),
    listPodSandboxStats: (request, options = {}) =>
      gate.call('listPodSandboxStats', request, options, () => ({ stats: sandboxStats(node, request.filter) })),
    streamPodSandboxStats: (request, options = {}) =>
      gate.stream('streamPodSandboxStats', request, options, () =>
        chunks(sandboxStats(node, request.filter), (podSandboxStats: PodSandboxStats[]) => ({ podSandboxStats })),
      ),
    listMetricDescriptors: (request, options = {}) => gate.call('listMetricDescriptors', request, options, () => ({ descriptors: [] })),
    listPodSandboxMetrics: (request, options = {}) => gate.call('listPodSandboxMetrics', request, options, () => ({ podMetrics: [] })),
    streamPodSandboxMetrics: (request, options = {}) =>
      gate.stream('streamPodSandboxMetrics', request, options, () => chunks([], () => ({ podSandboxMetrics: [] }))),
  } satisfies Partial<RuntimeService>;
}

function runningStats(node: MemoryNode, filter: Parameters<typeof matchesContainer>[1]): ContainerStats[] {
  const running = containersOf(node, { ...filter, state: { state: 'CONTAINER_RUNNING' } });
  return running.map((record) => containerStats(record, node.options.clock.now()));
}

function sandboxStats(node: MemoryNode, filter: { id?: string; labelSelector?: Record<string, string> } = {}): PodSandboxStats[] {
  return sandboxesOf(node, { ...(filter.id && { id: filter.id }) })
    .filter(({ config, state }) => state === 'SANDBOX_READY' && hasLabels(config.labels, filter.labelSelector))
    .map((record) => podSandboxStats(record, node.options.clock.now()));
}
