import type { Container, Pod } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { SignalObservations } from './observations.js';
import { signalDefinitions } from './signals.js';
import { type StarvedResource, starvedResources } from './starved-resources.js';
import { type ContainerStatsInput, type PodStatsInput, read } from './stats-input.js';
import { type Threshold, thresholdQuantity } from './threshold.js';

/** The message of an evicted pod's status and event, and the event's annotations. */
export interface EvictionMessage {
  message: string;
  annotations: Record<string, string>;
}

/**
 * The kubelet's eviction message: the available amount, and the containers that use more than they request. `thresholds` are those that
 * caused the eviction.
 */
export function evictionMessage(
  resource: StarvedResource,
  pod: Pod,
  stats: PodStatsInput | undefined,
  thresholds: readonly Threshold[],
  observations: SignalObservations,
): EvictionMessage {
  let message = `The node was low on resource: ${resource}. ${shortage(resource, thresholds, observations)}`;
  const annotations: Record<string, string> = {};
  if (stats === undefined) return { message, annotations };

  const podRequest = pod.spec?.resources?.requests?.memory;
  const podUsage = read(stats.memory, 'workingSetBytes');
  if (resource === 'memory' && podRequest !== undefined && podUsage !== undefined) {
    const name = pod.metadata?.name ?? '';
    const usage = bytes(podUsage);
    message += `Pod ${name} was using ${usage}, request is ${Quantity.parse(podRequest)}, has larger consumption of ${resource}. `;
    annotations.offending_pod = name;
    annotations.offending_pod_usage = usage.toString();
  }

  const names: string[] = [];
  const usages: string[] = [];
  for (const containerStats of stats.containers ?? []) {
    const usage = containerUsage(resource, containerStats);
    for (const container of usage === undefined ? [] : containersNamed(pod, containerStats.name ?? '')) {
      const text = container.resources?.requests?.[resource];
      const request = text === undefined ? Quantity.zero : Quantity.parse(text);
      if (usage === undefined || usage.cmp(request) <= 0) continue;
      message += `Container ${container.name} was using ${usage}, request is ${request}, has larger consumption of ${resource}. `;
      names.push(container.name);
      usages.push(usage.toString());
    }
  }
  annotations.offending_containers = names.join(',');
  annotations.offending_containers_usage = usages.join(',');
  annotations.starved_resource = resource;
  return { message, annotations };
}

function shortage(resource: StarvedResource, thresholds: readonly Threshold[], observations: SignalObservations): string {
  for (const { signal, value } of thresholds) {
    const observation = observations.get(signal);
    if (signalDefinitions[signal].resource !== resource || observation === undefined) continue;
    return `Threshold quantity: ${thresholdQuantity(value, observation.capacity)}, available: ${observation.available}. `;
  }
  return '';
}

function containerUsage(resource: StarvedResource, stats: ContainerStatsInput): Quantity | undefined {
  const usage = starvedResources[resource].containerUsage?.(stats);
  return usage === undefined ? undefined : bytes(usage);
}

function containersNamed(pod: Pod, name: string): Container[] {
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].filter((container) => container.name === name);
}

const bytes = (value: bigint) => Quantity.of(BigInt.asIntN(64, value), 'BinarySI');
