import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  ResourceRequirements,
  RuntimeContainerStatus,
  VolumeMount,
  VolumeMountStatus,
} from '@nodeagent/api';
import { formatNanos } from '@nodeagent/api/helpers';
import { resourcesInForce } from './container-resources.js';

/** Reason of a container whose exit was not observed. */
export const containerStatusUnknown = 'ContainerStatusUnknown';
/** Reason of a container that was removed because all of the pod's containers restart: KEP-5532. */
export const restartingAllContainers = 'RestartingAllContainers';

/** Shared by all containers that have not ended before. */
const noState: ContainerState = Object.freeze({});

/** The terminated state of a container that vanished: exit code 137, as if killed. */
export function lostContainer(reason: string, message: string): ContainerStateTerminated {
  return { exitCode: 137, reason, message };
}

/** Inputs of a conversion besides the instance. */
export interface ConversionContext {
  /** The scheme of container ids: `containerd` in `containerd://...`. */
  runtimeName: string;
  podRestarting: boolean;
  /** The previous status; undefined if it did not have the container. */
  old: ContainerStatus | undefined;
  /** The container's resources as allocated by this node. */
  allocated: ResourceRequirements;
}

/** Converts a runtime's container status to the API's form. */
export function convertContainerStatus(runtime: RuntimeContainerStatus, context: ConversionContext): ContainerStatus {
  const { runtimeName, old, allocated } = context;
  const containerID = `${runtimeName}://${runtime.id}`;
  const status: ContainerStatus = {
    name: runtime.name,
    state: convertState(runtime, containerID, context),
    lastState: noState,
    ready: false,
    restartCount: restartCount(runtime, old),
    image: runtime.image,
    imageID: runtime.imageRef,
    containerID,
  };
  if (old) {
    if (old.volumeMounts) status.volumeMounts = old.volumeMounts;
    const last = old.containerID !== containerID && old.state?.terminated ? old.state.terminated : old.lastState?.terminated;
    if (last) status.lastState = { terminated: last };
    if (runtime.state === 'running' && old.started !== undefined) status.started = old.started;
  }
  status.resources = resourcesInForce(allocated, runtime, containerID, old);
  if (allocated.requests) status.allocatedResources = allocated.requests;
  if (runtime.user) status.user = { linux: runtime.user };
  return status;
}

function convertState(runtime: RuntimeContainerStatus, containerID: string, { old, podRestarting }: ConversionContext): ContainerState {
  if (runtime.state === 'running') {
    return { running: runtime.startedAt === undefined ? {} : { startedAt: formatNanos(runtime.startedAt) } };
  }
  if (runtime.state === 'exited') {
    const terminated: ContainerStateTerminated = { exitCode: runtime.exitCode };
    if (runtime.reason) terminated.reason = runtime.reason;
    if (runtime.message) terminated.message = runtime.message;
    if (runtime.startedAt !== undefined) terminated.startedAt = formatNanos(runtime.startedAt);
    if (runtime.finishedAt !== undefined) terminated.finishedAt = formatNanos(runtime.finishedAt);
    terminated.containerID = containerID;
    return { terminated };
  }
  if (runtime.state === 'unknown' && old?.state?.running) {
    const reason = podRestarting ? restartingAllContainers : containerStatusUnknown;
    return { terminated: lostContainer(reason, 'The container could not be located when the pod was terminated') };
  }
  return { waiting: {} };
}

/** Never decreases; increases by one if an instance's exit was not observed, or it runs again with the count of the exited one. */
function restartCount(runtime: RuntimeContainerStatus, old: ContainerStatus | undefined): number {
  if (old === undefined) return runtime.restartCount;
  const endedUnseen = runtime.state === 'unknown' && old.state?.running !== undefined;
  const runsAgain = runtime.state === 'running' && old.state?.terminated !== undefined && old.restartCount >= runtime.restartCount;
  return endedUnseen || runsAgain ? old.restartCount + 1 : Math.max(old.restartCount, runtime.restartCount);
}

/** The status of a container that the runtime does not have yet. */
export function defaultContainerStatus(
  container: Container,
  waitingReason: string,
  supportsRecursiveReadOnly: boolean,
  old: ContainerStatus | undefined,
): ContainerStatus {
  if (old?.state?.terminated) return old;
  const status: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: waitingReason } },
    lastState: old?.lastState ?? noState,
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
  };
  if (container.volumeMounts?.length) {
    status.volumeMounts = container.volumeMounts.map((mount) => volumeMountStatus(mount, supportsRecursiveReadOnly));
  }
  return status;
}

function volumeMountStatus(mount: VolumeMount, supportsRecursiveReadOnly: boolean): VolumeMountStatus {
  const { name, mountPath, readOnly, recursiveReadOnly, mountPropagation } = mount;
  if (!readOnly) return { name, mountPath };
  const wanted = recursiveReadOnly === 'IfPossible' || recursiveReadOnly === 'Enabled';
  const possible = supportsRecursiveReadOnly && (mountPropagation === undefined || mountPropagation === 'None');
  return { name, mountPath, readOnly, recursiveReadOnly: wanted && possible ? 'Enabled' : 'Disabled' };
}
