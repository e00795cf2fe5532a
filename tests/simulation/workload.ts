import type { Container, Lifecycle, Pod, Probe, Random, ResourceList } from '@nodeagent/api';
import { configHashAnnotation } from '@nodeagent/api';
import type { ContainerBehaviour, ContainerSubject } from '@nodeagent/memory-runtime';
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

const image = (random: Random) => `app:${between(random, 1, 5)}`;
const wholeCpu: ResourceList = { cpu: '1', memory: '16Mi' };
const someCpu: ResourceList = { cpu: '10m' };
const device: ResourceList = { [deviceResource]: '1' };
const policies = ['Always', 'OnFailure', 'Never'] as const;

/** A pod of any shape that a kubelet supports. `id` is unique in the run, also among pods with the same name. */
export function randomPod(random: Random, name: string, id: number): Pod {
  const shape = pick(random, shapes);
  const graceSeconds = pick(random, [0, 1, 5, 30, 40]);
  const containers: Partial<Container>[] = Array.from({ length: pick(random, [1, 1, 2]) }, (_, i) => ({
    name: `c${i}`,
    image: image(random),
    resources: resourcesOf(id),
  }));
  const pod: PodInput = {
    name,
    labels: { shape, id: `${id}` },
    nodeName: 'node-1',
    restartPolicy: pick(random, ['Always', 'Always', ...policies]),
    terminationGracePeriodSeconds: graceSeconds,
    ...(random() < 0.1 && { activeDeadlineSeconds: between(random, 20, 200) }),
    ...partsOf(shape, random, containers, graceSeconds),
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

/** Pods with CPU requests alone can be resized, the others are BestEffort or Guaranteed. Each fifth requests devices. */
function resourcesOf(id: number): NonNullable<Container['resources']> {
  const devices = id % 5 === 3 ? device : {};
  const cpu = id % 6 === 1 ? wholeCpu : {};
  const limits = { ...cpu, ...devices };
  return { limits, requests: { ...(id % 2 === 0 && someCpu), ...limits } };
}

function partsOf(shape: PodShape, random: Random, containers: Partial<Container>[], graceSeconds: number): Partial<PodInput> {
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
          (_, i): ContainerInput => ({ name: `init${i}`, image: image(random) }),
        ),
      };
    case 'sidecar':
      return {
        initContainers: [
          { name: 'init0', image: image(random) },
          { name: 'sidecar', image: image(random), restartPolicy: 'Always' },
        ],
      };
    case 'probes':
      return { containers: containers.map((container) => ({ ...container, ...randomProbes(random) })) };
    case 'hooks':
      return { containers: containers.map((container) => ({ ...container, lifecycle: randomHooks(random, graceSeconds) })) };
    case 'volumes': {
      const volumes = Array.from({ length: between(random, 1, 2) }, (_, i) => ({ name: `v${i}`, emptyDir: {} }));
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

/** The behaviour of one instance of a container, determined only by its pod's id, its name and its attempt. `calm`: no failures, and init containers succeed.
 */
export function behaviourOf(
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
