import type { PodStatus } from '@nodeagent/api';
import { resources } from '../manifest/container-schema.js';
import { type FieldType, flag, ignored, int32, int64, list, quantities, struct, text, time } from '../manifest/schema.js';

const containerState = struct({
  waiting: struct({ reason: text, message: text }),
  running: struct({ startedAt: time }),
  terminated: struct({
    exitCode: int32,
    signal: int32,
    reason: text,
    message: text,
    startedAt: time,
    finishedAt: time,
    containerID: text,
  }),
});

const containerStatuses = list(
  struct({
    name: text,
    state: containerState,
    lastState: containerState,
    ready: flag,
    restartCount: int32,
    image: text,
    imageID: text,
    containerID: text,
    started: flag,
    allocatedResources: quantities,
    resources,
    volumeMounts: list(struct({ name: text, mountPath: text, readOnly: flag, recursiveReadOnly: text })),
    user: struct({ linux: struct({ uid: int64, gid: int64, supplementalGroups: list(int64) }) }),
    allocatedResourcesStatus: list(struct({ name: text, resources: list(struct({ resourceID: text, health: text, message: text })) })),
    stopSignal: text,
  }),
);

const fields: Readonly<Record<keyof PodStatus, FieldType>> = {
  observedGeneration: int64,
  phase: text,
  conditions: list(
    struct({
      type: text,
      status: text,
      observedGeneration: int64,
      lastProbeTime: time,
      lastTransitionTime: time,
      reason: text,
      message: text,
    }),
  ),
  message: text,
  reason: text,
  nominatedNodeName: text,
  hostIP: text,
  hostIPs: list(struct({ ip: text })),
  podIP: text,
  podIPs: list(struct({ ip: text })),
  startTime: time,
  initContainerStatuses: containerStatuses,
  containerStatuses,
  ephemeralContainerStatuses: containerStatuses,
  qosClass: text,
  resize: text,
  resourceClaimStatuses: list(struct({ name: text, resourceClaimName: text })),
  extendedResourceClaimStatus: struct({
    requestMappings: list(struct({ containerName: text, resourceName: text, requestName: text })),
    resourceClaimName: text,
  }),
  nodeAllocatableResourceClaimStatuses: ignored,
  allocatedResources: quantities,
  resources,
};

/** The schema of the status of a `v1` Pod, which agents write and the API server returns. */
export const podStatus = struct(fields);
