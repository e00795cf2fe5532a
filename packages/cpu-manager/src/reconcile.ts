import type { Pod, PodStatus } from '@nodeagent/api';
import { CpuSet, findContainerStatus, podUid } from '@nodeagent/api/helpers';
import { assignableContainers } from './cpu-requests.js';
import { type CpuState, exclusiveCpusOf } from './cpu-state.js';

/** A container, and what a reconciliation does with it. */
export interface CpuUpdate {
  podUID: string;
  containerName: string;
  /** Absent if the container has no id. */
  containerId?: string;
  /** The CPUs that the container is to have. */
  cpus: CpuSet;
  /** `update`: it has other CPUs; `keep`: it has them; `ignore`: it is terminated; `fail`: it cannot be updated now. */
  action: 'update' | 'keep' | 'ignore' | 'fail';
  /** Why it fails. */
  reason?: string;
}

/** Input of {@link planCpuUpdates}. */
export interface CpuUpdatesInput {
  state: CpuState;
  pods: readonly Pod[];
  podStatus(podUID: string): PodStatus | undefined;
  /** The CPUs that a container was given last; undefined if the manager gave it none. */
  lastCpus(podUID: string, containerName: string): CpuSet | undefined;
}

/** Compares the CPUs that each container is to have with those that it was given last. A pure function. */
export function planCpuUpdates({ state, pods, podStatus, lastCpus }: CpuUpdatesInput): CpuUpdate[] {
  return pods.flatMap((pod) => {
    const podUID = podUid(pod);
    const status = podStatus(podUID);
    return assignableContainers(pod).map(({ name: containerName }): CpuUpdate => {
      const cpus = exclusiveCpusOf(state, podUID, containerName) ?? state.defaultCpuSet;
      const update = { podUID, containerName, cpus };
      if (status === undefined) return { ...update, action: 'fail', reason: 'the pod has no status' };
      const containerStatus = findContainerStatus(status, containerName);
      const containerId = containerStatus?.containerID?.replace(/^.*:\/\//, '') ?? '';
      if (containerId === '') return { ...update, action: 'fail', reason: 'the container has no id' };
      const { waiting, running, terminated } = containerStatus?.state ?? {};
      if (terminated) return { ...update, containerId, action: 'ignore' };
      if (waiting || !running) return { ...update, containerId, action: 'fail', reason: 'the container is waiting' };
      if (cpus.isEmpty) return { ...update, containerId, action: 'fail', reason: 'no CPUs are left for the container' };
      const isCurrent = cpus.equals(lastCpus(podUID, containerName) ?? CpuSet.empty);
      return { ...update, containerId, action: isCurrent ? 'keep' : 'update' };
    });
  });
}
