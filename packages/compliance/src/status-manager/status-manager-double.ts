import { isDeepStrictEqual } from 'node:util';
import type { Clock, Pod, PodStatus, StatusListener, StatusManager, StatusSink, StatusVersions, VersionedPodStatus } from '@nodeagent/api';
import {
  findPodCondition,
  formatTime,
  isMirrorPod,
  isPodConditionTrue,
  isStaticPod,
  isTerminalPhase,
  podFullName,
  podUid,
  replaceOrAppendCondition,
} from '@nodeagent/api/helpers';

/** The ports of {@link createTestStatusManager}. */
export interface TestStatusManagerPorts {
  clock: Pick<Clock, 'now'>;
  /** All pods of the sources, including mirror pods. */
  pods(): Iterable<Pod>;
  /** Default: statuses are only kept. */
  sink?: StatusSink | undefined;
}

/** A status manager that keeps statuses in memory, and reports them to its listeners and its sink. */
export function createTestStatusManager(ports: TestStatusManagerPorts): StatusManager {
  return new Statuses(ports);
}

class Statuses implements StatusManager, StatusVersions {
  readonly #ports: TestStatusManagerPorts;
  readonly #entries = new Map<string, VersionedPodStatus>();
  readonly #listeners = new Set<StatusListener>();
  #isStarted = false;

  constructor(ports: TestStatusManagerPorts) {
    this.#ports = ports;
  }

  async start(signal?: AbortSignal): Promise<void> {
    this.#isStarted = true;
    await this.#ports.sink?.start(this, signal);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.#ports.sink?.stop();
  }

  getPodStatus(uid: string): PodStatus | undefined {
    return this.#entries.get(this.#staticUid(uid))?.status;
  }

  setPodStatus(pod: Pod, status: PodStatus): void {
    this.#accept(pod, status);
  }

  setContainerReadiness(uid: string, containerId: string, ready: boolean): void {
    this.#change(uid, containerId, { ready });
  }

  setContainerStartup(uid: string, containerId: string, started: boolean): void {
    this.#change(uid, containerId, { started });
  }

  terminatePod(pod: Pod): void {
    const uid = podUid(pod);
    this.#accept(pod, terminatedStatus(pod, this.#entries.get(uid)?.status ?? pod.status ?? {}));
    const entry = this.#entries.get(uid);
    if (!entry || entry.podIsFinished) return;
    this.#entries.set(uid, { ...entry, version: entry.version + 1, podIsFinished: true });
    this.#notifySink(uid);
  }

  removeOrphanedStatuses(known: ReadonlySet<string>): void {
    for (const uid of this.#entries.keys()) if (!known.has(uid)) this.forgetPodStatus(uid);
  }

  setPodReadyToStartContainers(pod: Pod): void {
    const status = this.#entries.get(podUid(pod))?.status ?? pod.status ?? {};
    const type = 'PodReadyToStartContainers';
    if (isPodConditionTrue(status, type)) return;
    this.#accept(pod, { ...status, conditions: replaceOrAppendCondition(status.conditions ?? [], { type, status: 'True' }) });
  }

  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  versionedStatus(uid: string): VersionedPodStatus | undefined {
    return this.#entries.get(this.#staticUid(uid));
  }

  versionedStatuses(): IterableIterator<[string, VersionedPodStatus]> {
    return this.#entries.entries();
  }

  forgetPodStatus(uid: string): void {
    if (this.#entries.delete(uid)) this.#notify(uid, undefined);
  }

  #change(uid: string, containerId: string, fields: { ready: boolean } | { started: boolean }): void {
    const [pod, status] = [this.#find(uid), this.#entries.get(uid)?.status];
    if (!pod || !status?.containerStatuses?.some(({ containerID }) => containerID === containerId)) return;
    const containerStatuses = status.containerStatuses.map((each) => (each.containerID === containerId ? { ...each, ...fields } : each));
    let conditions = status.conditions ?? [];
    for (const type of 'ready' in fields ? ['Ready', 'ContainersReady'] : []) {
      conditions = replaceOrAppendCondition(conditions, { type, status: containerStatuses.every(({ ready }) => ready) ? 'True' : 'False' });
    }
    this.#accept(pod, { ...status, containerStatuses, conditions });
  }

  #accept(pod: Pod, given: PodStatus): void {
    const uid = podUid(pod);
    const now = this.#ports.clock.now();
    const { status: before = {}, version = 0, at = now } = this.#entries.get(uid) ?? {};
    const status = withTimes(given, before, formatTime(now));
    if ((pod.spec?.restartPolicy === 'Never' && isRestarted(given, before)) || isDeepStrictEqual(status, before)) return;
    const { name: podName = '', namespace: podNamespace = '' } = pod.metadata ?? {};
    this.#entries.set(uid, { status, version: version + 1, podName, podNamespace, at, podIsFinished: false });
    this.#notify(uid, status);
  }

  #notify(uid: string, status: PodStatus | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(uid, status);
      } catch {
        // An error must not keep the next listener from being called.
      }
    }
    this.#notifySink(uid);
  }

  #notifySink(uid: string): void {
    if (this.#isStarted) this.#ports.sink?.statusChanged(uid);
  }

  #find(uid: string): Pod | undefined {
    return [...this.#ports.pods()].find((pod) => podUid(pod) === uid);
  }

  #staticUid(uid: string): string {
    const mirror = this.#find(uid);
    if (!mirror || !isMirrorPod(mirror)) return uid;
    const original = [...this.#ports.pods()].find((pod) => podFullName(pod) === podFullName(mirror) && !isMirrorPod(pod));
    return original ? podUid(original) : uid;
  }
}

const isRestarted = (status: PodStatus, before: PodStatus) =>
  status.containerStatuses?.some(
    ({ name, state }) => !state?.terminated && before.containerStatuses?.find((old) => old.name === name)?.state?.terminated,
  );

const withTimes = (status: PodStatus, before: PodStatus, now: string): PodStatus => ({
  ...status,
  startTime: before.startTime ?? status.startTime ?? now,
  conditions: (status.conditions ?? []).map((condition) => {
    const old = findPodCondition(before, condition.type);
    const unchanged = old?.status === condition.status && old.lastTransitionTime;
    return { ...condition, lastTransitionTime: unchanged || now };
  }),
});

function terminatedStatus(pod: Pod, status: PodStatus): PodStatus {
  const containerStatuses = (status.containerStatuses ?? []).map((each) =>
    each.state?.terminated ? each : { ...each, state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
  );
  const phase = isTerminalPhase(status.phase) || isStaticPod(pod) ? status.phase : 'Failed';
  return { ...status, containerStatuses, ...(phase !== undefined && { phase }) };
}
