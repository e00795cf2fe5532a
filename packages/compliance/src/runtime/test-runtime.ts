import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type Container,
  NodeAgentError,
  type Pod,
  type PodIdentity,
  type PodRuntimeStatus,
  type PodSyncResult,
  podUid,
  type ReclaimingRuntime,
  type ResizableRuntime,
  type ResourceRequirements,
  type Runtime,
  type RuntimeContainer,
  type RuntimeContainerStatus,
  type RuntimePod,
  type RuntimeSandboxStatus,
  type StreamingRuntime,
  type SyncResult,
  type VersionedRuntime,
} from '@nodeagent/api';

/** How a container of an image behaves. */
export interface TestImage {
  /** It exits at once with this code. Default: it keeps running. */
  exitCode?: number;
  ignoresStop?: boolean;
  cannotStart?: boolean;
}

interface PodRecord extends PodIdentity {
  /** Newest first. */
  containers: RuntimeContainerStatus[];
  /** Highest attempt first. */
  sandboxes: RuntimeSandboxStatus[];
  /** Resources last applied, by container. */
  resources: Map<string, ResourceRequirements | undefined>;
}

/** The ports of {@link createTestRuntime}. */
export interface TestRuntimePorts {
  clock: Pick<Clock, 'now' | 'sleep'>;
  image(name: string): TestImage;
}

/** A runtime with every capability. */
export type TestRuntime = Runtime & ResizableRuntime & StreamingRuntime & ReclaimingRuntime & VersionedRuntime;

/** A runtime whose containers are records, without CRI. */
export function createTestRuntime({ clock, image }: TestRuntimePorts): TestRuntime {
  const pods = new Map<string, PodRecord>();
  let ids = 0;
  /** Strictly increasing timestamps. */
  const now = () => BigInt(clock.now()) * 1_000_000n + BigInt(++ids);

  const start = (record: PodRecord, { name, image: imageName = '' }: Container, before: RuntimeContainerStatus | undefined) => {
    const { exitCode, cannotStart } = image(imageName);
    if (cannotStart) throw new NodeAgentError('ErrImagePull', `no image ${imageName}`);
    const at = now();
    const exited = exitCode !== undefined;
    record.containers.unshift({
      id: `container-${++ids}`,
      name,
      state: exited ? 'exited' : 'running',
      createdAt: at,
      startedAt: at,
      ...(exited && { finishedAt: now() }),
      exitCode: exitCode ?? 0,
      image: imageName,
      imageId: imageName,
      imageRef: imageName,
      hash: '',
      restartCount: before ? before.restartCount + 1 : 0,
      reason: exited ? (exitCode === 0 ? 'Completed' : 'Error') : '',
      message: '',
      podSandboxId: record.sandboxes[0]?.id ?? '',
    });
  };
  const newSandbox = (record: PodRecord) => {
    const attempt = record.sandboxes.length;
    const network = { ip: '10.0.0.7', additionalIps: [] };
    record.sandboxes.unshift({
      id: `sandbox-${++ids}`,
      attempt,
      state: 'ready',
      createdAt: now(),
      networkMode: 'POD',
      network,
      runtimeHandler: '',
    });
  };
  const isWanted = ({ spec }: Pod, last: RuntimeContainerStatus | undefined) =>
    last?.state !== 'running' &&
    (!last || spec?.restartPolicy === 'Always' || (spec?.restartPolicy === 'OnFailure' && last.exitCode !== 0));
  const inListing = ({ uid, name, namespace, containers, sandboxes }: PodRecord): RuntimePod => ({
    uid,
    name,
    namespace,
    containers: containers.map(({ id, name: own, state, createdAt, image: imageName, podSandboxId }) => ({
      ...listed(id, createdAt),
      name: own,
      state,
      image: imageName,
      podSandboxId,
    })),
    sandboxes: sandboxes.map(({ id, state, createdAt }) => ({ ...listed(id, createdAt), state: state === 'ready' ? 'running' : 'exited' })),
  });
  const streamUrl = (containerId: string) => {
    const isThere = [...pods.values()].some(({ containers }) =>
      containers.some(({ id, state }) => id === containerId && state === 'running'),
    );
    if (!isThere) throw new NodeAgentError('ContainerNotFound', `container ${containerId} does not run`);
    return new URL(`http://127.0.0.1:1/${containerId}`);
  };
  const isRunning = ({ containers }: PodRecord) => containers.some(({ state }) => state === 'running');

  return {
    runtimeName: 'records',
    async checkRuntime() {},
    runtimeVersion: async () => ({ name: 'records', version: '1' }),
    status: async () => ({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' }),
    getPods: async (all) => [...pods.values()].filter((record) => all || isRunning(record)).map(inListing),
    async getPod(uid) {
      const record = pods.get(uid);
      return record && inListing(record);
    },
    async getPodStatus({ uid, name, namespace }): Promise<PodRuntimeStatus> {
      const { containers = [], sandboxes = [] } = pods.get(uid) ?? {};
      const [sandbox] = sandboxes;
      const active = sandbox?.state === 'ready' ? sandbox : undefined;
      return {
        uid,
        name,
        namespace,
        ips: active?.network ? [active.network.ip] : [],
        containerStatuses: structuredClone(containers),
        activeContainerStatuses: structuredClone(containers.filter(({ podSandboxId }) => podSandboxId === active?.id)),
        sandboxStatuses: structuredClone(sandboxes),
      };
    },
    async syncPod(pod, _status, { restartAllContainers = false } = {}): Promise<PodSyncResult> {
      const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
      const record = pods.get(uid) ?? { uid, name, namespace, containers: [], sandboxes: [], resources: new Map() };
      pods.set(uid, record);
      if (restartAllContainers) {
        return { results: record.containers.splice(0).map(({ id }) => ({ action: 'RemoveContainer', target: id })) };
      }
      if (record.sandboxes[0]?.state !== 'ready') newSandbox(record);
      const sandboxId = record.sandboxes[0]?.id;
      const results: SyncResult[] = [];
      for (const container of pod.spec?.containers ?? []) {
        record.resources.set(container.name, container.resources);
        const last = record.containers.find((each) => each.name === container.name);
        if (!isWanted(pod, last?.podSandboxId === sandboxId ? last : undefined)) continue;
        const result: SyncResult = { action: 'StartContainer', target: container.name };
        try {
          start(record, container, last);
        } catch (error) {
          result.error = error as Error;
        }
        results.push(result);
      }
      return { results };
    },
    async killPod(pod, { uid }, gracePeriodOverride): Promise<PodSyncResult> {
      const record = pods.get(pod ? podUid(pod) : uid);
      const running = record?.containers.filter(({ state }) => state === 'running') ?? [];
      const grace = gracePeriodOverride ?? pod?.spec?.terminationGracePeriodSeconds ?? 2;
      await Promise.all(
        running.map(async (container) => {
          const { ignoresStop = false } = image(container.image);
          if (ignoresStop) await clock.sleep(grace * 1000);
          Object.assign(container, { state: 'exited', exitCode: ignoresStop ? 137 : 143, finishedAt: now() });
        }),
      );
      for (const sandbox of record?.sandboxes ?? []) sandbox.state = 'notReady';
      return { results: running.map(({ name }) => ({ action: 'KillContainer', target: name })) };
    },
    async deleteDeadContainers({ uid }, diedContainerId, removeAll) {
      const record = pods.get(uid);
      if (!record) return;
      record.containers = record.containers.filter(({ id, state }) => state === 'running' || !(removeAll || id === diedContainerId));
    },
    async deleteAllUnusedContainers(_allSourcesReady) {
      for (const [uid, record] of pods) if (!isRunning(record)) pods.delete(uid);
    },
    async garbageCollect(allSourcesReady) {
      if (allSourcesReady) await this.deleteAllUnusedContainers(true);
    },
    collectBackOff() {},
    isPodResizeInProgress: (pod, { containerStatuses }) =>
      (pod.spec?.containers ?? []).some(
        ({ name, resources }) =>
          containerStatuses.some((each) => each.name === name && each.state === 'running') &&
          !isDeepStrictEqual(pods.get(podUid(pod))?.resources.get(name), resources),
      ),
    actuatedPod(pod) {
      const applied = pods.get(podUid(pod))?.resources;
      const containers = (pod.spec?.containers ?? []).map(({ resources, ...rest }) => ({
        ...rest,
        resources: applied?.get(rest.name) ?? resources ?? {},
      }));
      return { ...pod, spec: { ...pod.spec, containers } };
    },
    execUrl: async (id) => streamUrl(id),
    attachUrl: async (id) => streamUrl(id),
    async portForwardUrl(pod) {
      const sandbox = pods.get(podUid(pod))?.sandboxes[0];
      if (!sandbox) throw new NodeAgentError('PodSandboxNotFound', 'the pod has no sandbox');
      return new URL(`http://127.0.0.1:1/${sandbox.id}`);
    },
  };
}

const listed = (id: string, createdAt: bigint): RuntimeContainer => ({
  id,
  name: '',
  state: 'unknown',
  createdAt,
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  podSandboxId: '',
});
