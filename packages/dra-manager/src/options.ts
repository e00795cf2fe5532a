import type { Clock, Logger, Metrics, ObjectGetter, Pod, Random, ResourceClaim } from '@nodeagent/api';
import type { DraDriverConnection, DraService } from './driver-connection.js';
import type { ResourceSliceDeleter } from './slice-cleanup.js';

/** Options of `createDraManager`. */
export interface DraManagerOptions {
  /** Path of the checkpoint, in the kubelet's format; the kubelet's is `/var/lib/kubelet/dra_manager_state`. */
  stateFile: string;
  nodeName: string;
  /** Reads ResourceClaims. */
  claims: ObjectGetter<ResourceClaim>;
  /** Deletes ResourceSlices of drivers that are not available. Default: none are deleted. */
  resourceSlices?: ResourceSliceDeleter;
  /** The active pods of the node: claims of other pods are unprepared. */
  activePods(): readonly Pod[];
  /** Whether containers of a pod that is not active may still run: its claims stay prepared. Default: never. */
  couldHaveRunningContainers?(podUID: string): boolean;
  /** Whether all pod sources have reported their pods; until then no claim is unprepared for an inactive pod. Default: always. */
  sourcesReady?(): boolean;
  /** Called with the UIDs of pods whose devices changed their health: their statuses must be generated again. Default: nothing. */
  healthChanged?(podUIDs: readonly string[]): void;
  /** Connects to a driver. Default: gRPC on its socket. */
  connect?(socketPath: string, service: DraService): DraDriverConnection;
  clock?: Clock;
  /** For the jitter of retries. Default Math.random. */
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
}
