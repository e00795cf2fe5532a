import type { KubeObject, Pod, ResourceRequirements } from '@nodeagent/api';
import { configHashAnnotation } from '@nodeagent/api/helpers';
import type { ContainerBehaviour } from '@nodeagent/memory-runtime';
import { buildPod, type PodInput } from '@nodeagent/testing';
import { deviceResource } from './devices.js';

const command = (...words: string[]) => ({ exec: { command: words } });

const fixed = (cpu: string, memory: string): ResourceRequirements => ({ requests: { cpu, memory }, limits: { cpu, memory } });

/** A pod without the fields that the API server sets. */
function podOf(input: PodInput): Pod {
  const { metadata, ...pod } = buildPod({ nodeName: 'node-1', ...input });
  const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, ...own } = metadata ?? {};
  return { ...pod, metadata: own };
}

/** The resources before and after the resize. */
export const sizes = { before: fixed('200m', '256Mi'), after: fixed('300m', '128Mi') };

/** A pod with what a kubelet can call for: an init container, a sidecar, probes, hooks, volumes, a device. */
const web = podOf({
  name: 'web',
  terminationGracePeriodSeconds: 5,
  initContainers: [
    { name: 'init', image: 'init:1' },
    { name: 'sidecar', image: 'sidecar:1', restartPolicy: 'Always' },
  ],
  containers: [
    {
      name: 'main',
      image: 'web:1',
      imagePullPolicy: 'Always',
      resources: { requests: sizes.before.requests, limits: { ...sizes.before.limits, [deviceResource]: '1' } } as ResourceRequirements,
      startupProbe: { ...command('started'), periodSeconds: 1, failureThreshold: 1_000 },
      readinessProbe: { ...command('ready'), periodSeconds: 5 },
      livenessProbe: { ...command('alive'), periodSeconds: 5, failureThreshold: 2 },
      lifecycle: { postStart: command('after-start'), preStop: command('before-stop') },
      volumeMounts: ['settings', 'login', 'scratch', 'token', 'data'].map((name) => ({ name, mountPath: `/${name}` })),
    },
  ],
  volumes: [
    { name: 'settings', configMap: { name: 'settings' } },
    { name: 'login', secret: { secretName: 'login' } },
    { name: 'scratch', emptyDir: {} },
    { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { configMap: { name: 'settings' } }] } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  ],
});

const plain = (name: string): Pod =>
  podOf({ name, terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: `${name}:1`, resources: sizes.before }] });

/** The pods of the node, by name. */
export const pods = {
  web,
  plain: plain('plain'),
  doomed: plain('doomed'),
  crash: podOf({ name: 'crash', containers: [{ name: 'main', image: 'crash:1' }] }),
  job: podOf({ name: 'job', restartPolicy: 'Never', containers: [{ name: 'main', image: 'job:1' }] }),
} as const;

export const staticPod: Pod = (() => {
  const { metadata, ...pod } = plain('static');
  return { ...pod, metadata: { ...metadata, namespace: 'default', uid: 'static-1', annotations: { [configHashAnnotation]: 'static-1' } } };
})();

/** What the pods refer to. */
export const objects: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { mode: 'fast' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, data: { password: 'c2VjcmV0' } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      volumeMode: 'Filesystem',
      nfs: { server: 'files', path: '/' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'pv-1' },
  },
] as unknown as KubeObject[];

/** How containers behave; `isAlive`: whether the probes of `web` succeed. */
export function behaviourOf(pod: string, container: string, isAlive: () => boolean): ContainerBehaviour {
  if (container === 'init') return { exit: { afterMs: 500 } };
  if (pod === 'crash') return { exit: { afterMs: 3_000, code: 1 } };
  if (pod === 'job') return { exit: { afterMs: 20_000 } };
  return { exec: ([name]) => ({ exitCode: /alive|ready/.test(name ?? '') && !isAlive() ? 1 : 0 }), usage: { memoryBytes: 2 ** 20 } };
}
