import { type Clock, type Logger, type Pod, requirePositive, silentLogger, systemClock } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { type SecretToken, TokenSecrets } from './accounts/token-secrets.js';
import { AutoscalerController } from './autoscaling/autoscaler-controller.js';
import type { AutoscalerMetrics } from './autoscaling/metric-samples.js';
import { type CertificateAuthority, CertificateSigner, type CertificateSignerOptions } from './certificates/certificate-signer.js';
import { RequestCleaner } from './certificates/request-cleaner.js';
import { type RunningControllers, runControllers } from './controller.js';
import type { ControllerObjects, Place } from './controller-objects.js';
import { type DeviceAllocation, DeviceModules } from './devices/device-modules.js';
import { ResourceClaimController } from './devices/resource-claim-controller.js';
import { DisruptionController } from './disruptions/disruption-controller.js';
import { StaleDisruption } from './disruptions/stale-disruption.js';
import { EventWriter } from './event-writer.js';
import { GarbageCollector } from './garbage/garbage-collector.js';
import { NamespaceController } from './namespaces/namespace-controller.js';
import { type NodeLifecycleSettings, nodeControllers } from './nodes/node-controllers.js';
import { NodeIpam, type NodeIpamSettings } from './nodes/node-ipam.js';
import { NodeTtl } from './nodes/node-ttl.js';
import { explainIn, type SchedulingExplanation } from './scheduler/explain-scheduling.js';
import { defaultPlugins } from './scheduler/plugins/default-plugins.js';
import { dynamicResources } from './scheduler/plugins/dynamic-resources.js';
import { bookOver } from './scheduler/schedule-once.js';
import { Scheduler } from './scheduler/scheduler.js';
import { EndpointSliceController } from './services/endpoint-slice-controller.js';
import { EndpointsController, EndpointsMirror } from './services/endpoints-controllers.js';
import { ProtectionController } from './volumes/protection-controller.js';
import { VolumeBinder } from './volumes/volume-binder.js';
import { WorkloadController } from './workloads/workload-controller.js';

/** Which controllers run. */
export interface ControllerChoice {
  /** Whether a scheduler binds pods to nodes. Default false. */
  scheduler?: boolean;
  /** Whether controllers of Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs and CronJobs run. Default false. */
  workloads?: boolean;
  /**
   * Whether nodes without heartbeats become Unknown, nodes are tainted by their conditions, taints evict pods, and pods of deleted nodes
   * are deleted. Default false.
   */
  nodeLifecycle?: boolean | NodeLifecycleSettings;
  /** Assigns nodes ranges of the addresses of pods. Default: their creator sets them. */
  nodeIpam?: NodeIpamSettings;
  /** Whether nodes get the annotation `node.alpha.kubernetes.io/ttl` by the size of the cluster. Default false. */
  nodeTtl?: boolean;
  /** Whether Services with a selector get EndpointSlices. Default false. */
  endpointSlices?: boolean;
  /** Whether Services with a selector get Endpoints, and Endpoints of others EndpointSlices. Default false. */
  endpoints?: boolean;
  /** Whether PodDisruptionBudgets get their status, and pods lose the condition of a disruption that did not happen. Default false. */
  disruptionBudgets?: boolean;
  /** Whether HorizontalPodAutoscalers scale their targets, by the metrics of the server. Default false. */
  horizontalPodAutoscalers?: boolean;
  /** Whether PersistentVolumeClaims are bound, and their volumes provisioned and expanded. Default false. */
  volumeBinder?: boolean;
  /** Whether ResourceClaims are created from templates, and released by pods that are done. Default false. */
  resourceClaims?: boolean;
  /** Approves CertificateSigningRequests of nodes, signs them and those of users, and deletes old ones. Default: they stay pending. */
  certificateSigner?: CertificateSignerOptions;
  /** Whether each namespace gets its default service account and the ConfigMap `kube-root-ca.crt`. Default true. */
  namespaceObjects?: boolean;
  /** Whether Secrets of the type `kubernetes.io/service-account-token` get the token of their account, and end with it. Default false. */
  tokenSecrets?: boolean;
  /** Whether the garbage collector deletes the dependents of deleted objects. Default true. */
  garbageCollection?: boolean;
}

/** Options of {@link createTestControllers}. */
export interface TestControllersOptions extends ControllerChoice {
  objects: ControllerObjects;
  /** The cluster's CA: its certificate is in the ConfigMap `kube-root-ca.crt` of each namespace. Called when it is first needed. */
  authority: () => CertificateAuthority;
  /** Issues the tokens of Secrets, with `tokenSecrets`. Default: they stay empty. */
  secretToken?: SecretToken;
  /** The metrics that HorizontalPodAutoscalers read. Default: none. */
  metrics?: AutoscalerMetrics;
  /** What the scheduler needs to allocate devices to ResourceClaims. Default: pods with claims stay pending. */
  devices?: DeviceAllocation;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
}

/** Running controllers, see {@link createTestControllers}. */
export interface TestControllers {
  /** Completes all steps that are due now; without it they follow in a microtask after each change. */
  settle(): void;
  /** Why a pod gets its node, or none: see `explainScheduling` of `/decisions`. Undefined if there is no such pod. */
  explainScheduling(namespace: string, name: string): SchedulingExplanation | undefined;
  /** Stops all controllers and their timers; idempotent. */
  stop(): void;
}

/**
 * Runs the controllers of a control plane over the objects of an API server, until `stop`. The controllers of namespaces and of finalizers of volumes always run. A step never
 * runs during the change that causes it.
 *
 * @throws NodeAgentError `InvalidOption`
 */
export function createTestControllers(options: TestControllersOptions): TestControllers {
  const { objects, authority, metrics, clock = systemClock, logger = silentLogger } = options;
  const {
    scheduler,
    workloads,
    nodeLifecycle,
    nodeIpam,
    nodeTtl,
    endpointSlices,
    endpoints,
    disruptionBudgets,
    horizontalPodAutoscalers,
    volumeBinder,
    resourceClaims,
    devices,
    certificateSigner,
    garbageCollection = true,
    namespaceObjects = true,
    tokenSecrets,
    secretToken: tokenOf,
  } = options;
  if (typeof nodeLifecycle === 'object') requirePositive('nodeLifecycle.nodeMonitorGracePeriodMs', nodeLifecycle.nodeMonitorGracePeriodMs);
  requirePositive('certificateSigner.lifetimeMs', certificateSigner?.lifetimeMs);
  const events = new EventWriter(objects, clock);
  const again = (place: Place) => controllers.queue(place);
  const modules = devices && new DeviceModules({ objects, logger, devices });
  const now = () => formatTime(clock.now());
  const plugins = modules ? [...defaultPlugins, dynamicResources({ allocator: modules.allocator, now })] : defaultPlugins;
  const controllers: RunningControllers = runControllers(objects, logger, [
    new NamespaceController(objects, clock, namespaceObjects ? authority : undefined),
    new ProtectionController(objects),
    ...(tokenSecrets && tokenOf ? [new TokenSecrets({ objects, ca: () => authority().cert, tokenOf })] : []),
    ...(garbageCollection ? [new GarbageCollector(objects)] : []),
    ...(nodeLifecycle ? nodeControllers({ objects, clock, events }, nodeLifecycle) : []),
    ...(nodeIpam ? [new NodeIpam({ objects, events }, nodeIpam)] : []),
    ...(nodeTtl ? [new NodeTtl(objects)] : []),
    ...(workloads ? [new WorkloadController({ objects, clock, events, again })] : []),
    ...(endpointSlices ? [new EndpointSliceController({ objects, events })] : []),
    ...(endpoints ? [new EndpointsController(objects), new EndpointsMirror({ objects, events })] : []),
    ...(horizontalPodAutoscalers ? [new AutoscalerController({ objects, clock, events, metrics, again })] : []),
    ...(disruptionBudgets
      ? [new DisruptionController({ objects, clock, events, again }), new StaleDisruption({ objects, clock, again })]
      : []),
    ...(volumeBinder ? [new VolumeBinder({ objects, clock, events })] : []),
    ...(resourceClaims ? [new ResourceClaimController({ objects, events })] : []),
    ...(certificateSigner
      ? [new CertificateSigner({ objects, clock, authority }, certificateSigner), new RequestCleaner({ objects, clock, again })]
      : []),
    ...(scheduler ? [...(modules ? [modules] : []), new Scheduler({ objects, clock, events, again, plugins })] : []),
  ]);
  return {
    settle: controllers.settle,
    stop: controllers.stop,
    explainScheduling(namespace, name) {
      const pod = objects.get('/pods', namespace, name) as Pod | undefined;
      return pod && explainIn(bookOver(objects), plugins, pod);
    },
  };
}
