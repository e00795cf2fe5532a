import type { Container, ContainerStateWaiting, ContainerStatus, Pod, ResourceRequirements, RuntimeContainerStatus } from '@nodeagent/api';
import { isSidecar, shouldContainerBeRestarted } from '@nodeagent/api/helpers';
import { initOrder, nameOrder } from '../compare/order.js';
import {
  containerStatusUnknown,
  convertContainerStatus,
  defaultContainerStatus,
  lostContainer,
  restartingAllContainers,
} from './convert-container.js';

/** Why a container could not be started: its waiting reason and message. */
export type WaitingReason = Required<ContainerStateWaiting>;

/** Inputs of {@link convertToApiContainerStatuses}, which does not change them. The result shares parts of them. */
export interface ContainerStatusesInput {
  pod: Pod;
  /** The container list of the spec. */
  field: 'containers' | 'initContainers' | 'ephemeralContainers';
  /** All instances that the runtime has of the pod's containers, newest first. */
  runtimeStatuses: readonly RuntimeContainerStatus[];
  /** The previous statuses of this list. */
  oldStatuses?: readonly ContainerStatus[] | null | undefined;
  /** The scheme of container ids: `containerd` in `containerd://...`. */
  runtimeName: string;
  /** Whether all containers of the pod are being restarted. Default false. */
  podRestarting?: boolean | undefined;
  /** Why the last start failed, by container. */
  waitingReasons?: Readonly<Record<string, WaitingReason>> | undefined;
  /** Allocated resources where they differ from the spec, by container. */
  allocatedResources?: Readonly<Record<string, ResourceRequirements>> | undefined;
  /** Whether the pod's runtime class can mount read-only recursively (KEP-3857). Default false. */
  supportsRecursiveReadOnly?: boolean | undefined;
}

/** The API's statuses of one of the pod's container lists; `ready` is left for the probes. */
export function convertToApiContainerStatuses(input: ContainerStatusesInput): ContainerStatus[] {
  const { pod, field, runtimeStatuses, oldStatuses, waitingReasons } = input;
  const containers: readonly Container[] = pod.spec?.[field] ?? [];
  if (containers.length === 0) return [];
  const instances = groupByName(runtimeStatuses);
  const old = new Map(oldStatuses?.map((status) => [status.name, status]));
  const regularStarted = field === 'initContainers' && anyRegularContainerCreated(pod, instances);

  const statuses = containers.map((container) => {
    const [newest, previous] = instances.get(container.name) ?? [];
    const before = old.get(container.name);
    let status = newest ? observed(container, newest, previous, before, input) : unobserved(container, before, input);
    if (field === 'initContainers') {
      if (newest?.state === 'exited' && newest.exitCode === 0) return status;
      if (newest === undefined && regularStarted && !isSidecar(container) && status.state?.waiting) {
        return { ...status, state: { terminated: forgottenInitContainer } };
      }
    }
    const reason = waitingReasons?.[container.name];
    if (reason && shouldContainerBeRestarted(pod, container, newest)) {
      status = {
        ...status,
        ...(status.state?.terminated && { lastState: status.state }),
        state: { waiting: reason.message ? reason : { reason: reason.reason } },
      };
    }
    return status;
  });
  return field === 'initContainers' ? initOrder(containers, statuses) : nameOrder(statuses);
}

const forgottenInitContainer = {
  exitCode: 0,
  reason: 'Completed',
  message: 'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
};

function groupByName(statuses: readonly RuntimeContainerStatus[]): Map<string, RuntimeContainerStatus[]> {
  const groups = new Map<string, RuntimeContainerStatus[]>();
  for (const status of statuses) {
    const group = groups.get(status.name);
    if (group) group.push(status);
    else groups.set(status.name, [status]);
  }
  return groups;
}

function anyRegularContainerCreated(pod: Pod, instances: ReadonlyMap<string, readonly RuntimeContainerStatus[]>): boolean {
  return (
    pod.spec?.containers.some(({ name }) => {
      const state = instances.get(name)?.[0]?.state;
      return state !== undefined && state !== 'unknown';
    }) ?? false
  );
}

const noResources: ResourceRequirements = Object.freeze({});

/** The newest instance gives the state, the previous one the last state. */
function observed(
  container: Container,
  newest: RuntimeContainerStatus,
  previous: RuntimeContainerStatus | undefined,
  old: ContainerStatus | undefined,
  { runtimeName, podRestarting = false, allocatedResources }: ContainerStatusesInput,
): ContainerStatus {
  const allocated = allocatedResources?.[container.name] ?? container.resources ?? noResources;
  const context = { runtimeName, podRestarting, old, allocated };
  const status = convertContainerStatus(newest, context);
  if (previous) status.lastState = convertContainerStatus(previous, context).state ?? {};
  return status;
}

/** The runtime has no instance: not started yet, or removed since the last status. */
function unobserved(
  container: Container,
  old: ContainerStatus | undefined,
  { pod, podRestarting, supportsRecursiveReadOnly }: ContainerStatusesInput,
): ContainerStatus {
  const status = defaultContainerStatus(container, waitingFor(pod), supportsRecursiveReadOnly ?? false, old);
  if (old === undefined) return status;
  if (podRestarting && !old.state?.waiting) {
    const removed = { reason: restartingAllContainers, message: 'The container is removed because RestartAllContainers in place' };
    return {
      ...status,
      state: { waiting: removed },
      lastState: { terminated: lostContainer(removed.reason, removed.message) },
      restartCount: old.restartCount + 1,
    };
  }
  if (!old.state?.running || status.lastState?.terminated) return status;
  const message = 'The container could not be located when the pod was deleted.  The container used to be Running';
  status.lastState = { terminated: lostContainer(containerStatusUnknown, message) };
  if (!pod.metadata?.deletionTimestamp) status.restartCount += 1;
  return status;
}

function waitingFor(pod: Pod): string {
  return pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating';
}
