import type { Container, ContainerPort, Pod, PodIdentity } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** Labels that identify sandboxes and containers. */
export const labels = {
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
  containerName: 'io.kubernetes.container.name',
} as const;

/** Annotations with the data that a restarted agent needs. */
export const annotations = {
  hash: 'io.kubernetes.container.hash',
  restartCount: 'io.kubernetes.container.restartCount',
  terminationMessagePath: 'io.kubernetes.container.terminationMessagePath',
  terminationMessagePolicy: 'io.kubernetes.container.terminationMessagePolicy',
  preStopHandler: 'io.kubernetes.container.preStopHandler',
  ports: 'io.kubernetes.container.ports',
  deletionGracePeriod: 'io.kubernetes.pod.deletionGracePeriod',
  terminationGracePeriod: 'io.kubernetes.pod.terminationGracePeriod',
} as const;

type StringMap = Readonly<Record<string, string>>;

export function podIdentity(pod: Pod): PodIdentity {
  return { uid: podUid(pod), name: pod.metadata?.name ?? '', namespace: pod.metadata?.namespace ?? '' };
}

/** A sandbox's labels: the pod's labels and the identifying ones. */
export function sandboxLabels(pod: Pod): Record<string, string> {
  return { ...pod.metadata?.labels, ...identityLabels(pod) };
}

/** A container's labels: only the identifying ones, not the pod's labels. */
export function containerLabels(pod: Pod, container: Container): Record<string, string> {
  return { ...identityLabels(pod), [labels.containerName]: container.name };
}

function identityLabels(pod: Pod): Record<string, string> {
  const { name, namespace, uid } = podIdentity(pod);
  return { [labels.podName]: name, [labels.podNamespace]: namespace, [labels.podUid]: uid };
}

/** The pod that the labels identify. */
export function identityFromLabels(of: StringMap): PodIdentity {
  return { uid: of[labels.podUid] ?? '', name: of[labels.podName] ?? '', namespace: of[labels.podNamespace] ?? '' };
}

/** The annotations that a restarted agent needs to manage the container, even if its pod has been deleted. */
export function containerAnnotations(pod: Pod, container: Container, hash: string, restartCount: number): Record<string, string> {
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  const { terminationGracePeriodSeconds } = pod.spec ?? {};
  const preStop = container.lifecycle?.preStop;
  return {
    [annotations.hash]: hash,
    [annotations.restartCount]: String(restartCount),
    [annotations.terminationMessagePath]: container.terminationMessagePath ?? '',
    [annotations.terminationMessagePolicy]: container.terminationMessagePolicy ?? '',
    ...(preStop && { [annotations.preStopHandler]: JSON.stringify(preStop) }),
    ...(container.ports && container.ports.length > 0 && { [annotations.ports]: portsText(container.ports) }),
    ...(isNumber(deletionGracePeriodSeconds) && { [annotations.deletionGracePeriod]: String(deletionGracePeriodSeconds) }),
    ...(isNumber(terminationGracePeriodSeconds) && { [annotations.terminationGracePeriod]: String(terminationGracePeriodSeconds) }),
  };
}

/** With the field order of the Kubernetes API, so that the text does not depend on the source of the pod. */
function portsText(ports: readonly ContainerPort[]): string {
  return JSON.stringify(
    ports.map(({ name, hostPort, containerPort, protocol, hostIP }) => ({ name, hostPort, containerPort, protocol, hostIP })),
  );
}

const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

/** The definition hash in a container's annotations; empty if it is missing or invalid. */
export function hashFromAnnotations(of: StringMap): string {
  const hash = of[annotations.hash] ?? '';
  return /^[0-9a-f]+$/i.test(hash) ? hash : '';
}

/** The restart count in a container's annotations; 0 if it is missing or invalid. */
export function restartCountFromAnnotations(of: StringMap): number {
  return Math.max(0, integer(of[annotations.restartCount]) ?? 0);
}

/** Undefined if the text is no integer, or one that a number cannot hold exactly. */
function integer(text = ''): number | undefined {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Restores a partial pod and container from a container's labels and annotations: enough to stop it with its grace period and preStop
 * hook when the pod's spec is not known.
 */
export function restorePod(of: { labels: StringMap; annotations: StringMap }): { pod: Pod; container: Container } {
  const { uid, name, namespace } = identityFromLabels(of.labels);
  const json = <T>(key: string): T | undefined => {
    try {
      return JSON.parse(of.annotations[key] ?? '') as T;
    } catch {
      return undefined;
    }
  };
  const deletionGracePeriodSeconds = integer(of.annotations[annotations.deletionGracePeriod]);
  const terminationGracePeriodSeconds = integer(of.annotations[annotations.terminationGracePeriod]);
  const preStop = json<NonNullable<Container['lifecycle']>['preStop']>(annotations.preStopHandler);
  const ports = json<NonNullable<Container['ports']>>(annotations.ports);
  const container: Container = {
    name: of.labels[labels.containerName] ?? '',
    ...(preStop && { lifecycle: { preStop } }),
    ...(ports && { ports }),
  };
  return {
    pod: {
      metadata: { name, namespace, uid, ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }) },
      spec: { containers: [container], ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }) },
    },
    container,
  };
}
