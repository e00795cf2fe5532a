import type { Container, EphemeralContainer, ObjectMeta, Pod, PodSpec, PodStatus, Probe } from '@nodeagent/api';
import { computeQosClass, fnv1a128 } from '@nodeagent/api/helpers';

/** A container: its image only (named `main`, `c2`, `c3`, ...), or any of its fields. */
export type ContainerInput = string | Partial<Container>;

/** Input of {@link buildPod}: any field of the spec, common fields of the metadata, and short forms of containers. */
export interface PodInput extends Omit<PodSpec, 'containers' | 'initContainers' | 'ephemeralContainers'> {
  name: string;
  /** Default `default`. */
  namespace?: string;
  /** Default: a UUID derived from namespace and name. */
  uid?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Further metadata, such as deletionTimestamp. */
  metadata?: ObjectMeta;
  /** Default one container `main` of the image `busybox:1`. */
  containers?: ContainerInput[];
  initContainers?: ContainerInput[];
  ephemeralContainers?: (Partial<EphemeralContainer> & { name: string })[];
  /** Default phase Pending and the pod's QoS class. */
  status?: PodStatus;
}

/**
 * Builds a complete pod with the API server's defaults: `buildPod({ name: 'web', containers: ['nginx:1'] })`.
 * It is bound to a node only by `nodeName`; an agent runs all pods of its sources.
 * The same input gives the same pod, uid included.
 */
export function buildPod(input: PodInput): Pod {
  const {
    name,
    namespace = 'default',
    uid,
    labels,
    annotations,
    metadata,
    containers,
    initContainers,
    ephemeralContainers,
    status,
    ...spec
  } = input;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: uid ?? uidOf(namespace, name),
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...metadata,
    },
    spec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      ...spec,
      containers: (containers ?? ['busybox:1']).map((container, i) => buildContainer(container, i === 0 ? 'main' : `c${i + 1}`)),
      ...(initContainers && { initContainers: initContainers.map((container, i) => buildContainer(container, `init${i + 1}`)) }),
      ...(ephemeralContainers && {
        ephemeralContainers: ephemeralContainers.map((container) => buildContainer(container, container.name)),
      }),
    },
  };
  return { ...pod, status: status ?? { phase: 'Pending', qosClass: computeQosClass(pod) } };
}

/** Builds a container with the API server's defaults; `defaultName` applies if it has no name. */
export function buildContainer(input: ContainerInput, defaultName = 'main'): Container {
  const own = typeof input === 'string' ? { image: input } : input;
  const { image = 'busybox:1', resources = {}, ports, livenessProbe, readinessProbe, startupProbe, ...rest } = own;
  const requests = { ...resources.limits, ...resources.requests };
  return {
    name: defaultName,
    image,
    resources: { ...resources, ...(Object.keys(requests).length > 0 && { requests }) },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(image) ? 'Always' : 'IfNotPresent',
    ...(ports && { ports: ports.map((port) => ({ protocol: 'TCP', ...port })) }),
    ...(livenessProbe && { livenessProbe: buildProbe(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: buildProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: buildProbe(startupProbe) }),
    ...rest,
  };
}

function buildProbe(probe: Probe): Probe {
  return {
    ...probe,
    ...(probe.httpGet && { httpGet: { path: '/', scheme: 'HTTP', ...probe.httpGet } }),
    timeoutSeconds: probe.timeoutSeconds ?? 1,
    periodSeconds: probe.periodSeconds ?? 10,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

/** Whether the image has no tag or the tag `latest`, and no digest. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1];
  return tag === undefined || tag === 'latest';
}

/** A hash in the format of a UUID. */
function uidOf(namespace: string, name: string): string {
  const hex = fnv1a128(`${namespace}/${name}`).toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
