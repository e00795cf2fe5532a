import {
  type Clock,
  type EnvironmentPorts,
  type ImageManager,
  type Pod,
  type PodRuntimeStatus,
  podUid,
  type ReclaimingRuntime,
  type ResizableRuntime,
  type Runtime,
  type RuntimeContainerStatus,
  type RuntimePod,
  type StreamingRuntime,
  type VersionedRuntime,
} from '@nodeagent/api';

/** A pod of the runtime: its sandbox and its containers, whose `id` changes with each start. */
interface Held {
  name: string;
  namespace: string;
  createdAt: bigint;
  isRunning: boolean;
  containers: RuntimeContainerStatus[];
}

/** An in-memory runtime that implements only its contract. It uses third-party parts to pull images and to read config maps. */
export function createRuntime(clock: Clock, images: ImageManager, environment: EnvironmentPorts): Runtime {
  const held = new Map<string, Held>();
  let starts = 0;
  const now = () => BigInt(clock.now()) * 1_000_000n;

  const sandboxOf = (uid: string) => `sandbox-${uid}`;
  const start = async (pod: Pod, name: string, image: string): Promise<RuntimeContainerStatus> => {
    const object = { kind: 'Pod', name: pod.metadata?.name ?? '', namespace: pod.metadata?.namespace ?? '' };
    const { imageRef } = await images.ensureImageExists({ object, pod, image, pullPolicy: 'IfNotPresent' });
    await environment.getConfigMap?.(object.namespace, 'settings');
    const identity = {
      id: `container-${++starts}`,
      name,
      image,
      imageId: imageRef,
      imageRef,
      hash: '',
      podSandboxId: sandboxOf(podUid(pod)),
    };
    const times = { createdAt: now(), startedAt: now() };
    return { ...identity, ...times, state: 'running', exitCode: 0, restartCount: 0, reason: '', message: '' };
  };
  const runtimePod = (uid: string, { name, namespace, createdAt, isRunning, containers }: Held): RuntimePod => {
    const plain = { name: '', image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
    return {
      uid,
      name,
      namespace,
      containers: containers.map((container) => ({ ...container })),
      sandboxes: [{ ...plain, id: sandboxOf(uid), state: isRunning ? 'running' : 'exited', createdAt }],
    };
  };

  return {
    runtimeName: 'third-party',
    checkRuntime: async () => {},
    status: async () => ({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' }),
    getPods: async (all) => [...held].filter(([, { isRunning }]) => all || isRunning).map(([uid, pod]) => runtimePod(uid, pod)),
    async getPod(uid) {
      const pod = held.get(uid);
      return pod && runtimePod(uid, pod);
    },
    async getPodStatus({ uid, name, namespace }): Promise<PodRuntimeStatus> {
      const { isRunning = false, createdAt = 0n, containers = [] } = held.get(uid) ?? {};
      const network = { ip: '192.0.2.7', additionalIps: [] };
      const state = isRunning ? 'ready' : 'notReady';
      return {
        ...{ uid, name, namespace, ips: isRunning ? [network.ip] : [] },
        containerStatuses: containers.map((container) => ({ ...container })),
        activeContainerStatuses: isRunning ? containers.map((container) => ({ ...container })) : [],
        sandboxStatuses: [{ id: sandboxOf(uid), attempt: 0, state, createdAt, networkMode: 'POD', network, runtimeHandler: '' }],
      };
    },
    async syncPod(pod) {
      const uid = podUid(pod);
      if (held.get(uid)?.isRunning) return { results: [] };
      const { name = '', namespace = '' } = pod.metadata ?? {};
      const containers = await Promise.all(
        (pod.spec?.containers ?? []).map(({ name: container, image = '' }) => start(pod, container, image)),
      );
      held.set(uid, { name, namespace, createdAt: now(), isRunning: true, containers });
      return { results: containers.map(({ name: target }) => ({ action: 'StartContainer', target })) };
    },
    async killPod(_pod, { uid }) {
      const pod = held.get(uid);
      const running = pod?.containers.filter(({ state }) => state === 'running') ?? [];
      for (const container of running) Object.assign(container, { state: 'exited', exitCode: 0, finishedAt: now(), reason: 'Completed' });
      if (pod) pod.isRunning = false;
      return { results: running.map(({ name: target }) => ({ action: 'KillContainer', target })) };
    },
    async garbageCollect() {
      for (const [uid, { isRunning }] of held) if (!isRunning) held.delete(uid);
    },
    collectBackOff: () => {},
  };
}

/** A runtime with all capabilities. */
export function createCapableRuntime(
  ...args: Parameters<typeof createRuntime>
): Runtime & ResizableRuntime & StreamingRuntime & ReclaimingRuntime & VersionedRuntime {
  const runtime = createRuntime(...args);
  const url = async () => new URL('http://192.0.2.1/stream');
  return {
    ...runtime,
    isPodResizeInProgress: () => false,
    actuatedPod: (pod) => pod,
    execUrl: url,
    attachUrl: url,
    portForwardUrl: url,
    deleteDeadContainers: async () => {},
    deleteAllUnusedContainers: runtime.garbageCollect,
    runtimeVersion: async () => ({ name: 'third-party', version: '1' }),
  };
}
