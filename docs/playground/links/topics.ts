import type { TimelineKind } from '@nodeagent/api';

/** Where a decision is made in the source, and where the Kubernetes documentation describes it. */
export interface TopicLink {
  /** What is decided. */
  title: string;
  /** A file of the repository, and the function, class or method in it that decides. */
  file: string;
  name: string;
  docs: string;
}

const k8s = (page: string) => `https://kubernetes.io/docs/${page}`;
const lifecycle = (anchor: string) => k8s(`concepts/workloads/pods/pod-lifecycle/#${anchor}`);

const topic = (title: string, file: string, name: string, docs: string): TopicLink => ({ title, file: `packages/${file}.ts`, name, docs });

/** The decisions that the timeline shows. The site's build computes the line numbers and fails without one. */
export const topics = {
  config: topic('Which pods the node runs', 'pod-sources/src/merge/merge-source', 'mergeSource', k8s('concepts/workloads/pods/')),
  sync: topic(
    'What a sync does for a pod',
    'runtime-manager/src/decide/compute-pod-actions',
    'computePodActions',
    lifecycle('container-states'),
  ),
  restart: topic(
    'When a container restarts',
    'runtime-manager/src/sync/crash-loop-back-off',
    'createCrashLoopBackOff',
    lifecycle('restart-policy'),
  ),
  lifecycle: topic('What changed in the runtime', 'pleg/src/pod-events', 'computePodEvents', k8s('concepts/containers/cri/')),
  probe: topic('The result of a probe', 'prober/src/probe-state', 'nextProbeState', lifecycle('container-probes')),
  status: topic('The phase of a pod', 'status-manager/src/generate/get-phase', 'getPhase', lifecycle('pod-phase')),
  termination: topic('How a pod terminates', 'pod-workers/src/apply-update', 'applyUpdate', lifecycle('pod-termination')),
  stop: topic(
    'How long a container has to stop',
    'runtime-manager/src/decide/container-grace-period',
    'containerGracePeriod',
    lifecycle('pod-termination'),
  ),
  eviction: topic(
    'Which pod the node evicts',
    'eviction/src/rank',
    'rankForMemory',
    k8s('concepts/scheduling-eviction/node-pressure-eviction/#pod-selection-for-kubelet-eviction'),
  ),
  image: topic('Whether an image is pulled', 'image-manager/src/must-attempt-pull', 'checkPullRecord', k8s('concepts/containers/images/')),
  containerGc: topic(
    'Which containers are removed',
    'runtime-manager/src/gc/containers-to-delete',
    'containersToDelete',
    k8s('concepts/architecture/garbage-collection/#container-image-garbage-collection'),
  ),
  imageGc: topic(
    'Which images are removed',
    'image-gc/src/plan',
    'planImageGc',
    k8s('concepts/architecture/garbage-collection/#container-image-lifecycle'),
  ),
  resize: topic(
    'Whether a resize fits',
    'allocation/src/can-resize-pod',
    'canResizePod',
    k8s('tasks/configure-pod-container/resize-container-resources/'),
  ),
  admission: topic('Whether the node admits a pod', 'pod-admission/src/predicates', 'fitFailures', k8s('reference/node/')),
  sandbox: topic(
    'What a sandbox gets',
    'runtime-manager/src/config/sandbox-config',
    'generateSandboxConfig',
    k8s('concepts/containers/cri/'),
  ),
  container: topic(
    'What a container gets',
    'runtime-manager/src/config/container-config',
    'generateContainerConfig',
    k8s('concepts/containers/'),
  ),
  node: topic(
    'The conditions of a node',
    'node-status/src/status/conditions',
    'setNodeConditions',
    k8s('reference/node/node-status/#condition'),
  ),
  nodeLoss: topic(
    'When the pods of a lost node are evicted',
    'test-controllers/src/nodes/taint-eviction',
    'evictionDelayMs',
    k8s('concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions'),
  ),
  shutdown: topic(
    'In which order pods terminate at a shutdown',
    'node-shutdown/src/shutdown-groups',
    'shutdownGroups',
    k8s('concepts/cluster-administration/node-shutdown/#graceful-node-shutdown'),
  ),
  scheduling: topic(
    'On which node a pod runs',
    'test-controllers/src/scheduler/schedule-once',
    'scheduleOnce',
    k8s('concepts/scheduling-eviction/kube-scheduler/'),
  ),
  rollout: topic(
    'How a Deployment replaces its pods',
    'test-controllers/src/workloads/deployment',
    'reconcileDeployment',
    k8s('concepts/workloads/controllers/deployment/#rolling-update-deployment'),
  ),
  workload: topic(
    'How many pods a workload has',
    'test-controllers/src/workloads/replica-set',
    'reconcileReplicaSet',
    k8s('concepts/workloads/controllers/replicaset/'),
  ),
} as const satisfies Readonly<Record<string, TopicLink>>;

export type Topic = keyof typeof topics;

/** Topics of events by a part of their reason, the first that matches. */
const byReason: readonly [RegExp, Topic][] = [
  [/^Scheduled$|^FailedScheduling$|^Preempted$/, 'scheduling'],
  [/^ScalingReplicaSet$/, 'rollout'],
  [/^Successful(Create|Delete)$|^FailedCreate$|^Completed$|^BackoffLimitExceeded$/, 'workload'],
  [/^(TaintManagerEviction|NodeNotReady|RegisteredNode|DeletingAllPods)$/, 'nodeLoss'],
  [/Evict|ExceededGracePeriod|Threshold/, 'eviction'],
  [/^BackOff$/, 'restart'],
  [/Pull|Image(?!GC)/, 'image'],
  [/GC|FreeDisk|DiskCapacity/, 'imageGc'],
  [/^Unhealthy$|^ProbeWarning$/, 'probe'],
  [/^Kill|^Stop/, 'stop'],
  [/Resize/, 'resize'],
  [/Sandbox/, 'sandbox'],
  [/^(Created|Started|Failed)$/, 'container'],
  [/Shutdown/, 'shutdown'],
  [/^Node|^Starting$|HasSufficient|HasNo|Allocatable|Rebooted/, 'node'],
  [/^OutOf|^Unexpected|Affinity|^AppArmor|^SysctlForbidden/, 'admission'],
];

export const topicOfEvent = (reason: string): Topic => byReason.find(([pattern]) => pattern.test(reason))?.[1] ?? 'sync';

/** The topic of an agent's timeline entry. */
export function topicOfEntry(kind: TimelineKind, text: string, fields: Readonly<Record<string, unknown>> = {}): Topic {
  if (typeof fields.reason === 'string' && (kind === 'event' || kind === 'eviction' || kind === 'gc')) return topicOfEvent(fields.reason);
  if (kind === 'sync' && fields.work !== 'SyncPod') return 'termination';
  if (kind === 'sync') return /back-?off/i.test(text) ? 'restart' : 'sync';
  if (kind === 'gc') return 'image' in fields ? 'imageGc' : 'containerGc';
  return kind === 'event' ? 'sync' : kind;
}

/** The topic of a call to the runtime. */
export function topicOfMethod(method: string): Topic {
  if (/Image/.test(method)) return method === 'removeImage' ? 'imageGc' : 'image';
  if (method === 'updateContainerResources') return 'resize';
  if (method === 'execSync') return 'probe';
  if (method === 'stopContainer') return 'stop';
  if (method === 'removeContainer') return 'containerGc';
  return /Sandbox/.test(method) ? 'sandbox' : 'container';
}
