import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { DeviceManager } from '@nodeagent/device-manager';
import type { ContainerAssignment, PodAssignments } from '../../options/node-agent.js';
import type { RunningManagers } from './container-hooks.js';

/** Undefined for a pod to which nothing was assigned, and on which no hint decided. */
export function podAssignments(
  pod: Pod,
  { cpus, memory, topology }: RunningManagers,
  devices: Pick<DeviceManager, 'devices'> | undefined,
): PodAssignments | undefined {
  const uid = podUid(pod);
  const assignmentOf = (containerName: string): ContainerAssignment => {
    const exclusive = cpus?.getExclusiveCpus(uid, containerName);
    const memoryNumaNodes = memory?.memoryNumaNodes(uid, containerName);
    const assigned = Object.entries(devices?.devices(uid, containerName) ?? {});
    return {
      containerName,
      ...(exclusive && !exclusive.isEmpty && { cpus: exclusive.toString() }),
      ...(memoryNumaNodes && { memoryNumaNodes }),
      ...(assigned.length > 0 && { devices: Object.fromEntries(assigned.map(([name, byNode]) => [name, Object.values(byNode).flat()])) }),
    };
  };
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
    .map(({ name }) => assignmentOf(name))
    .filter((assignment) => Object.keys(assignment).length > 1);
  const decision = topology.explain().pods.find(({ podUID, alignments }) => podUID === uid && alignments.length > 0);
  if (containers.length === 0 && decision === undefined) return undefined;
  return { containers, ...(decision && { topology: decision }) };
}
