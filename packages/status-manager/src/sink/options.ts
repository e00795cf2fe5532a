import type { Clock, Informer, Logger, Metrics, ObjectDeleter, ObjectGetter, ObjectPatcher, Pod, Random } from '@nodeagent/api';
import type { PodLookup } from '../manager/ports.js';

/** Ports and settings of `createApiStatusSink`. */
export interface ApiStatusSinkOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now' | 'monotonic' | 'setTimeout'>;
  /** Default: `systemRandom`. */
  random?: Random;
  pods: ObjectGetter<Pod> & ObjectPatcher<Pod> & ObjectDeleter;
  /** The node's pods in the API server, including mirror pods. The sink does not start the informer. */
  informer: Pick<Informer<Pod>, 'get' | 'onChange'>;
  lookup: Pick<PodLookup, 'podByUid' | 'translatePodUid'>;
  /** Whether containers of the pod may still run or resources are still held; from the pod workers. */
  couldHaveRunningContainers(uid: string): boolean;
  /** Default 50, a kubelet's `kubeAPIQPS`. */
  requestsPerSecond?: number;
  logger?: Logger;
  /** `kubelet_pod_status_sync_duration_seconds`. */
  metrics?: Metrics;
}
