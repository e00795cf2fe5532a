import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type Container,
  NodeAgentError,
  type Pod,
  type PodIdentity,
  type PodRuntimeStatus,
  type PodSyncResult,
  type ReclaimingRuntime,
  type ResizableRuntime,
  type ResourceRequirements,
  type Runtime,
  type RuntimeContainer,
  type RuntimeContainerStatus,
  type RuntimePod,
  type RuntimeSandboxStatus,
  type RuntimeSyncOptions,
  type StreamingRuntime,
  type SyncResult,
  type VersionedRuntime,
} from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

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
export function createTestRuntime(ports: TestRuntimePorts): TestRuntime {
  return new RecordRuntime(ports);
}

class RecordRuntime implements TestRuntime {
  readonly runtimeName = 'records';
  readonly #clock: TestRuntimePorts['clock'];
  readonly #image: TestRuntimePorts['image'];
  readonly #pods = new Map<string, PodRecord>();
  #ids = 0;

  constructor({ clock, image }: TestRuntimePorts) {
    this.#clock = clock;
    this.#image = image;
  }

  async checkRuntime(): Promise<void> {}

  async runtimeVersion() {
    return { name: 'records', version: '1' };
  }

  async status() {
    return { runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' };
  }

  async getPods(all: boolean): Promise<RuntimePod[]> {
    return [...this.#pods.values()].filter((record) => all || isRunning(record)).map(inListing);
  }

  async getPod(uid: string): Promise<RuntimePod | undefined> {
    const record = this.#pods.get(uid);
    return record && inListing(record);
  }

  async getPodStatus({ uid, name, namespace }: PodIdentity): Promise<PodRuntimeStatus> {
    const { containers = [], sandboxes = [] } = this.#pods.get(uid) ?? {};
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
  }

  async syncPod(pod: Pod, _status: PodRuntimeStatus, { restartAllContainers = false }: RuntimeSyncOptions = {}): Promise<PodSyncResult> {
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    const record: PodRecord = this.#pods.get(uid) ?? { uid, name, namespace, containers: [], sandboxes: [], resources: new Map() };
    this.#pods.set(uid, record);
    if (restartAllContainers) {
      return { results: record.containers.splice(0).map(({ id }) => ({ action: 'RemoveContainer', target: id })) };
    }
    if (record.sandboxes[0]?.state !== 'ready') record.sandboxes.unshift(this.#newSandbox(record.sandboxes.length));
    return { results: (pod.spec?.containers ?? []).flatMap((container) => this.#syncContainer(pod, record, container)) };
  }

  async killPod(pod: Pod | undefined, { uid }: RuntimePod, gracePeriodOverride?: number): Promise<PodSyncResult> {
    const record = this.#pods.get(pod ? podUid(pod) : uid);
    const running = record?.containers.filter(({ state }) => state === 'running') ?? [];
    const grace = gracePeriodOverride ?? pod?.spec?.terminationGracePeriodSeconds ?? 2;
    await Promise.all(
      running.map(async (container) => {
        const { ignoresStop = false } = this.#image(container.image);
        if (ignoresStop) await this.#clock.sleep(grace * 1000);
        Object.assign(container, { state: 'exited', exitCode: ignoresStop ? 137 : 143, finishedAt: this.#now() });
      }),
    );
    for (const sandbox of record?.sandboxes ?? []) sandbox.state = 'notReady';
    return { results: running.map(({ name }) => ({ action: 'KillContainer', target: name })) };
  }

  async deleteDeadContainers({ uid }: PodRuntimeStatus, diedContainerId: string, removeAll: boolean): Promise<void> {
    const record = this.#pods.get(uid);
    if (!record) return;
    record.containers = record.containers.filter(({ id, state }) => state === 'running' || !(removeAll || id === diedContainerId));
  }

  async deleteAllUnusedContainers(_allSourcesReady: boolean): Promise<void> {
    for (const [uid, record] of this.#pods) if (!isRunning(record)) this.#pods.delete(uid);
  }

  async garbageCollect(allSourcesReady: boolean): Promise<void> {
    if (allSourcesReady) await this.deleteAllUnusedContainers(true);
  }

  collectBackOff(): void {}

  isPodResizeInProgress(pod: Pod, { containerStatuses }: PodRuntimeStatus): boolean {
    return (pod.spec?.containers ?? []).some(
      ({ name, resources }) =>
        containerStatuses.some((each) => each.name === name && each.state === 'running') &&
        !isDeepStrictEqual(this.#pods.get(podUid(pod))?.resources.get(name), resources),
    );
  }

  actuatedPod(pod: Pod): Pod {
    const applied = this.#pods.get(podUid(pod))?.resources;
    const containers = (pod.spec?.containers ?? []).map(({ resources, ...rest }) => ({
      ...rest,
      resources: applied?.get(rest.name) ?? resources ?? {},
    }));
    return { ...pod, spec: { ...pod.spec, containers } };
  }

  async execUrl(containerId: string): Promise<URL> {
    return this.#streamUrl(containerId);
  }

  async attachUrl(containerId: string): Promise<URL> {
    return this.#streamUrl(containerId);
  }

  async portForwardUrl(pod: Pod): Promise<URL> {
    const sandbox = this.#pods.get(podUid(pod))?.sandboxes[0];
    if (!sandbox) throw new NodeAgentError('PodSandboxNotFound', 'the pod has no sandbox');
    return new URL(`http://127.0.0.1:1/${sandbox.id}`);
  }

  /** Strictly increasing timestamps. */
  #now(): bigint {
    return BigInt(this.#clock.now()) * 1_000_000n + BigInt(++this.#ids);
  }

  #newSandbox(attempt: number): RuntimeSandboxStatus {
    const network = { ip: '10.0.0.7', additionalIps: [] };
    return {
      id: `sandbox-${++this.#ids}`,
      attempt,
      state: 'ready',
      createdAt: this.#now(),
      networkMode: 'POD',
      network,
      runtimeHandler: '',
    };
  }

  /** Starts the container if it must run and does not; returns what was done. */
  #syncContainer(pod: Pod, record: PodRecord, container: Container): SyncResult[] {
    record.resources.set(container.name, container.resources);
    const last = record.containers.find((each) => each.name === container.name);
    if (!isWanted(pod, last?.podSandboxId === record.sandboxes[0]?.id ? last : undefined)) return [];
    const result: SyncResult = { action: 'StartContainer', target: container.name };
    try {
      record.containers.unshift(this.#start(container, record.sandboxes[0]?.id ?? '', last));
    } catch (error) {
      result.error = error as Error;
    }
    return [result];
  }

  #start({ name, image = '' }: Container, podSandboxId: string, before: RuntimeContainerStatus | undefined): RuntimeContainerStatus {
    const { exitCode, cannotStart } = this.#image(image);
    if (cannotStart) throw new NodeAgentError('ErrImagePull', `no image ${image}`);
    const at = this.#now();
    const exited = exitCode !== undefined;
    return {
      id: `container-${++this.#ids}`,
      name,
      state: exited ? 'exited' : 'running',
      createdAt: at,
      startedAt: at,
      ...(exited && { finishedAt: this.#now() }),
      exitCode: exitCode ?? 0,
      image,
      imageId: image,
      imageRef: image,
      hash: '',
      restartCount: before ? before.restartCount + 1 : 0,
      reason: exited ? (exitCode === 0 ? 'Completed' : 'Error') : '',
      message: '',
      podSandboxId,
    };
  }

  #streamUrl(containerId: string): URL {
    const isThere = [...this.#pods.values()].some(({ containers }) =>
      containers.some(({ id, state }) => id === containerId && state === 'running'),
    );
    if (!isThere) throw new NodeAgentError('ContainerNotFound', `container ${containerId} does not run`);
    return new URL(`http://127.0.0.1:1/${containerId}`);
  }
}

const isRunning = ({ containers }: PodRecord) => containers.some(({ state }) => state === 'running');

const isWanted = ({ spec }: Pod, last: RuntimeContainerStatus | undefined) =>
  last?.state !== 'running' && (!last || spec?.restartPolicy === 'Always' || (spec?.restartPolicy === 'OnFailure' && last.exitCode !== 0));

const inListing = ({ uid, name, namespace, containers, sandboxes }: PodRecord): RuntimePod => ({
  uid,
  name,
  namespace,
  containers: containers.map(({ id, name: own, state, createdAt, image, podSandboxId }) => ({
    ...listed(id, createdAt),
    name: own,
    state,
    image,
    podSandboxId,
  })),
  sandboxes: sandboxes.map(({ id, state, createdAt }) => ({ ...listed(id, createdAt), state: state === 'ready' ? 'running' : 'exited' })),
});

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
