import type { PersistentVolume, PersistentVolumeClaim, Pod, PodSpec } from '@nodeagent/api';
import { isPodReady, Quantity } from '@nodeagent/api/helpers';
import type { FailingNode } from './failing-node.js';
import { behaviourOf, objects, pods, sizes, staticPod } from './failing-pods.js';

/** The pods of a node whose calls fail, and what happens to them. */
export interface Scene {
  readonly target: FailingNode;
  /** Names of the pods that must run, or have run. */
  readonly desired: Set<string>;
  isAlive: boolean;
  isResized: boolean;
}

/** What happens while a call fails. */
export interface Phase {
  name: string;
  /** Whether the pods run before. */
  hasPods: boolean;
  happen(scene: Scene): Promise<void>;
}

export function createScene(target: FailingNode): Scene {
  const scene: Scene = { target, desired: new Set(), isAlive: true, isResized: false };
  target.cluster.script({}, ({ pod, name }) => behaviourOf(pod, name, () => scene.isAlive));
  for (const object of objects) target.cluster.apply(object);
  bindClaim(target);
  return scene;
}

/** Binds the claim to the volume, as the volume controller does. */
function bindClaim({ cluster: { server } }: FailingNode): void {
  const { metadata = {} } = server.objects.update<PersistentVolumeClaim>(
    'persistentvolumeclaims',
    'data',
    (claim) => {
      claim.status = { phase: 'Bound', capacity: { storage: '1Gi' } };
    },
    { subresource: 'status' },
  );
  server.objects.update<PersistentVolume>('persistentvolumes', 'pv-1', ({ spec }) => {
    if (spec && metadata.uid) spec.claimRef = { namespace: 'default', name: 'data', uid: metadata.uid };
  });
}

/** Creates all pods. */
export function createPods({ target, desired }: Scene): void {
  for (const pod of Object.values(pods)) target.cluster.apply(pod);
  target.setStaticPods([staticPod]);
  for (const name of [...Object.keys(pods), 'static']) desired.add(name);
}

function resize({ spec }: Pod): void {
  for (const container of spec?.containers ?? []) {
    const { requests, limits } = sizes.after;
    container.resources = {
      requests: { ...container.resources?.requests, ...requests },
      limits: { ...container.resources?.limits, ...limits },
    };
  }
}

function remove({ target, desired }: Scene, name: string, gracePeriodSeconds?: number): void {
  desired.delete(name);
  target.cluster.server.objects.delete('pods', name, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
}

/** Runs a pod that no agent knows. */
async function addOrphan({ target }: Scene): Promise<void> {
  const { runtime, image } = target.node.runtime;
  const metadata = { uid: 'orphan', name: 'orphan', namespace: 'default', attempt: 0 };
  const labels = { 'io.kubernetes.pod.uid': 'orphan', 'io.kubernetes.pod.name': 'orphan', 'io.kubernetes.pod.namespace': 'default' };
  const sandboxConfig = { metadata, labels };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
  for (const name of ['orphan:1', 'unused:1']) await image.pullImage({ image: { image: name } });
  const config = {
    metadata: { name: 'main', attempt: 0 },
    image: { image: 'orphan:1' },
    labels: { ...labels, 'io.kubernetes.container.name': 'main' },
  };
  const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
  await runtime.startContainer({ containerId });
}

export const phases: readonly Phase[] = [
  { name: 'start', hasPods: false, happen: async (scene) => createPods(scene) },
  {
    name: 'resize',
    hasPods: true,
    async happen(scene) {
      scene.isResized = true;
      for (const name of ['web', 'plain']) scene.target.cluster.server.objects.update<Pod>('pods', name, resize, { subresource: 'resize' });
    },
  },
  {
    name: 'probe',
    hasPods: true,
    async happen(scene) {
      scene.isAlive = false;
      await scene.target.advance(20_000);
      scene.isAlive = true;
    },
  },
  {
    name: 'stop',
    hasPods: true,
    async happen(scene) {
      for (const name of Object.keys(pods)) if (name !== 'job') remove(scene, name);
      scene.desired.delete('static');
      scene.target.setStaticPods([]);
    },
  },
  {
    name: 'housekeeping',
    hasPods: true,
    async happen(scene) {
      for (const name of ['web', 'doomed', 'job']) remove(scene, name, 0);
      await addOrphan(scene);
    },
  },
];

const sameAmount = (a = '0', b = '0') => Quantity.parse(a).equals(Quantity.parse(b));

function hasSize(spec: PodSpec | undefined, status: Pod['status']): boolean {
  return (spec?.containers ?? []).every(({ name, resources }) => {
    const applied = status?.containerStatuses?.find((each) => each.name === name)?.resources;
    return ['cpu', 'memory'].every((each) => sameAmount(resources?.limits?.[each], applied?.limits?.[each]));
  });
}

/** Why the pod is not as desired; undefined if it is. */
function problemOf(name: string, pod: Pod | undefined): string | undefined {
  if (pod === undefined) return `${name} is not at the API server`;
  // As with a kubelet, a pod whose devices cannot be allocated is rejected.
  if (pod.status?.reason === 'UnexpectedAdmissionError') return undefined;
  if (name === 'job') return pod.status?.phase === 'Succeeded' ? undefined : `job is ${pod.status?.phase}`;
  if (name === 'crash') return pod.status?.phase === 'Running' ? undefined : `crash is ${pod.status?.phase}`;
  if (!isPodReady(pod)) return `${name} is not ready`;
  return name === 'static' || hasSize(pod.spec, pod.status) ? undefined : `${name} does not have its resources`;
}

/** What is not as it should be, once no call fails any more. */
export function problemsOf({ target, desired }: Scene): string[] {
  const { cluster, node, disk } = target;
  const found = cluster.server.objects.list<Pod>('pods').map((pod) => [pod.metadata?.name ?? '', pod] as const);
  const byName = new Map(found);
  const uids = new Set([...found.map(([, { metadata }]) => metadata?.uid), ...(desired.has('static') ? ['static-1'] : [])]);
  const isForeign = ({ podUid }: { podUid: string }) => !uids.has(podUid);
  return [
    ...[...desired].flatMap((name) => problemOf(name, byName.get(name)) ?? []),
    ...[...byName.keys()].filter((name) => !desired.has(name)).map((name) => `${name} is still at the API server`),
    ...node.runtime
      .containers()
      .filter(isForeign)
      .map(({ name, podUid }) => `container ${name} of ${podUid} remains`),
    ...node.runtime
      .sandboxes()
      .filter(isForeign)
      .map(({ podUid }) => `sandbox of ${podUid} remains`),
    ...disk
      .mounts()
      .filter((mount) => !uids.has(mount.split('/')[0]))
      .map((mount) => `${mount} is still mounted`),
    ...(desired.has('web') ? [] : target.devices().map((device) => `${device} is still mounted`)),
    ...(node.condition('Ready') === 'True' ? [] : ['the node is not ready']),
  ];
}
