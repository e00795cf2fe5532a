import type { Container, Lifecycle, Pod, Probe, Random, ResourceList, Volume } from '@nodeagent/api';
import { configHashAnnotation } from '@nodeagent/api/helpers';
import type { ContainerBehaviour, ContainerSubject, ContainerUsage } from '@nodeagent/memory-runtime';
import { buildPod, type ContainerInput, type PodInput } from '@nodeagent/testing';
import { between, pick, randomOf } from './chance.js';
import { deviceResource } from './devices.js';

const shapes = [
  'service',
  'service',
  'job',
  'crash-loop',
  'init',
  'sidecar',
  'probes',
  'hooks',
  'volumes',
  'volumes',
  'host-network',
] as const;

/** Commands by which the history recognises a liveness probe and a preStop hook. */
export const livenessCommand = 'liveness';
export const preStopCommand = 'pre-stop';

export type PodShape = (typeof shapes)[number];

export const podShapes: readonly PodShape[] = [...new Set(shapes)];

/** A readiness gate, whose condition the action `gate` sets. */
export const readinessGate = 'simulated.io/gate';

/** The priority classes of the cluster beside the built-in ones. */
export const priorityClasses = [
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'low' }, value: -10 },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1_000 },
] as const;

const critical = { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 };

/** An image of a container. With many images some are unused, and image garbage collection removes them. */
export const randomImage = (random: Random): string => `app:${between(random, 1, 40)}`;
const device: ResourceList = { [deviceResource]: '1' };
const policies = ['Always', 'OnFailure', 'Never'] as const;

/** A pod of any shape that a kubelet supports. `id` is unique in the run, also among pods with the same name. */
export function randomPod(random: Random, name: string, id: number): Pod {
  const shape = pick(random, shapes);
  const graceSeconds = pick(random, [0, 1, 5, 30, 40]);
  const resources = () => resourcesOf(random, id);
  const containers: Partial<Container>[] = Array.from({ length: pick(random, [1, 1, 2]) }, (_, i) => ({
    name: `c${i}`,
    image: randomImage(random),
    resources: resources(),
  }));
  const pod: PodInput = {
    name,
    labels: { shape, id: `${id}` },
    nodeName: 'node-1',
    restartPolicy: pick(random, ['Always', 'Always', ...policies]),
    terminationGracePeriodSeconds: graceSeconds,
    ...(random() < 0.1 && { activeDeadlineSeconds: between(random, 20, 200) }),
    ...priorityOf(random),
    ...(random() < 0.1 && { readinessGates: [{ conditionType: readinessGate }] }),
    ...partsOf(shape, random, containers, graceSeconds, resources),
  };
  const { metadata, ...built } = buildPod({ ...pod, containers: pod.containers ?? containers });
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, generation: _generation, ...own } = metadata ?? {};
  return { ...built, metadata: own };
}

/** The same as a static pod, which has a UID of its source. */
export function randomStaticPod(random: Random, name: string, id: number): Pod {
  const { metadata, ...pod } = randomPod(random, name, id);
  const uid = `static-${id}`;
  return { ...pod, metadata: { ...metadata, namespace: 'default', uid, annotations: { [configHashAnnotation]: uid } } };
}

/** A twentieth of the pods is critical: the agent preempts others for them. */
function priorityOf(random: Random): Pick<PodInput, 'priorityClassName' | 'priority'> {
  const [low, high] = priorityClasses;
  const drawn = pick(random, [...Array<undefined>(12), ...[low, low, low, low], ...[high, high, high], critical]);
  return drawn === undefined ? {} : { priorityClassName: drawn.metadata.name, priority: drawn.value };
}

/**
 * Resources of a container of the pod. A sixth of the pods is Guaranteed and has whole CPUs, a fifth requests devices, half requests parts of a
 * CPU and can be resized. A busy node cannot admit all pods.
 */
function resourcesOf(random: Random, id: number): NonNullable<Container['resources']> {
  const devices = id % 5 === 3 ? device : {};
  const whole: ResourceList = id % 6 === 1 ? { cpu: '1', memory: id % 4 === 1 ? '16Mi' : '256Mi' } : {};
  const limits = { ...whole, ...devices };
  const cpu = pick(random, ['10m', '100m', '400m']);
  const memory = pick(random, [undefined, '32Mi', '256Mi', '1Gi']);
  return { limits, requests: { ...(memory && { memory }), ...(id % 2 === 0 && { cpu }), ...limits } };
}

/** Sources of volumes: the simulated disk mounts them alike, and writes the content of all but emptyDir and hostPath again at each sync. */
const volumeSources: readonly Omit<Volume, 'name'>[] = [
  { emptyDir: {} },
  { emptyDir: {} },
  { emptyDir: { medium: 'Memory' } },
  { hostPath: { path: '/var/data' } },
  { configMap: { name: 'settings' } },
  { secret: { secretName: 'login' } },
  { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'login' } }] } },
];

function partsOf(
  shape: PodShape,
  random: Random,
  containers: Partial<Container>[],
  graceSeconds: number,
  resources: () => NonNullable<Container['resources']>,
): Partial<PodInput> {
  switch (shape) {
    case 'service':
      return { restartPolicy: 'Always' };
    case 'job':
      return { restartPolicy: pick(random, ['OnFailure', 'Never']) };
    case 'crash-loop':
      return { restartPolicy: pick(random, ['Always', 'OnFailure']) };
    case 'init':
      return {
        initContainers: Array.from(
          { length: between(random, 1, 2) },
          (_, i): ContainerInput => ({ name: `init${i}`, image: randomImage(random), resources: resources() }),
        ),
      };
    case 'sidecar': {
      const sidecars = random() < 0.5 ? ['sidecar'] : ['sidecar', 'sidecar1'];
      return {
        initContainers: [
          { name: 'init0', image: randomImage(random), resources: resources() },
          ...sidecars.map(
            (name): ContainerInput => ({ name, image: randomImage(random), restartPolicy: 'Always', resources: resources() }),
          ),
        ],
      };
    }
    case 'probes':
      return { containers: containers.map((container) => ({ ...container, ...randomProbes(random) })) };
    case 'hooks':
      return { containers: containers.map((container) => ({ ...container, lifecycle: randomHooks(random, graceSeconds) })) };
    case 'volumes': {
      const volumes = Array.from({ length: between(random, 1, 2) }, (_, i): Volume => ({ name: `v${i}`, ...pick(random, volumeSources) }));
      const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
      return { volumes, containers: containers.map((container) => ({ ...container, volumeMounts })) };
    }
    case 'host-network':
      return { hostNetwork: true };
  }
}

function randomProbes(random: Random): Partial<Container> {
  const probe = (kind: string): Probe => ({
    ...(random() < 0.5 ? { exec: { command: [kind] } } : { tcpSocket: { port: 80 } }),
    periodSeconds: pick(random, [5, 10, 30]),
    failureThreshold: between(random, 1, 3),
    initialDelaySeconds: pick(random, [0, 0, 10]),
  });
  return {
    ...(random() < 0.6 && { readinessProbe: probe('readiness') }),
    ...(random() < 0.6 && { livenessProbe: probe(livenessCommand) }),
    ...(random() < 0.3 && { startupProbe: { ...probe('startup'), failureThreshold: 10 } }),
  };
}

function randomHooks(random: Random, graceSeconds: number): Lifecycle {
  const hook = (kind: string) =>
    random() < 0.5 ? { exec: { command: [kind] } } : { sleep: { seconds: between(random, 0, Math.min(10, graceSeconds)) } };
  return { ...(random() < 0.6 && { preStop: hook(preStopCommand) }), ...(random() < 0.5 && { postStart: hook('post-start') }) };
}

const mebibyte = 2 ** 20;

/** The usage of a container, the same for all its instances. That of all pods is far below the capacity. */
function usageOf(seed: number, { pod, name }: ContainerSubject): ContainerUsage {
  const random = randomOf(seed, 'usage', pod, name);
  return { memoryBytes: between(random, 0, 96 * mebibyte), diskBytes: between(random, 0, 96 * mebibyte) };
}

/** The behaviour and usage of one instance of a container. */
export function behaviourOf(seed: number, subject: ContainerSubject, shape: string | undefined, calm: boolean): ContainerBehaviour {
  return { usage: usageOf(seed, subject), ...runBehaviour(seed, subject, shape, calm) };
}

/** The behaviour of one instance of a container, determined only by its pod's id, its name and its attempt. `calm`: no failures, and init containers succeed.
 */
function runBehaviour(
  seed: number,
  { pod, name, attempt }: ContainerSubject,
  shape: string | undefined,
  calm: boolean,
): ContainerBehaviour {
  const random = randomOf(seed, pod, name, attempt);
  if (name.startsWith('init')) return { exit: { afterMs: between(random, 0, 8_000), code: !calm && random() < 0.2 ? 1 : 0 } };
  if (calm) return {};
  if (shape === 'crash-loop') return { exit: { afterMs: between(random, 0, 30_000), code: 1 } };
  if (shape === 'job') return { exit: { afterMs: between(random, 1_000, 60_000), code: random() < 0.3 ? 1 : 0 } };
  if (shape === 'probes') {
    return { exec: () => ({ exitCode: random() < 0.2 ? 1 : 0 }), serves: () => random() < 0.8 };
  }
  if (shape === 'hooks') return { exec: { exitCode: random() < 0.2 ? 1 : 0, afterMs: pick(random, [0, 500, 20_000]) } };
  return pick<ContainerBehaviour>(random, [
    {},
    {},
    {},
    {},
    { exit: { afterMs: between(random, 0, 60_000), code: 0 } },
    { exit: { afterMs: between(random, 0, 60_000), code: 1 } },
    { exit: { afterMs: between(random, 0, 60_000), code: 137, reason: 'OOMKilled' } },
    { onStop: 'ignore' },
    { onStop: { afterMs: between(random, 0, 20_000), code: 0 } },
    { startMs: between(random, 0, 5_000) },
    { startError: 'no such file or directory' },
  ]);
}
