import { type Clock, formatTime, isTerminalPhase, type Pod, type PodSource, type PodStatus } from '@nodeagent/api';
import { canBeDeleted, mergePodStatus, type StatusSink, type StatusVersions } from '@nodeagent/status-manager';

/** From a change at the API server to the moment at which the node hears of it. */
const watchMs = 2;
/** From a new status to its patch: the node reads the pod before. */
const patchMs = 5;

export interface ApiPodOptions {
  clock: Clock;
  /** Whether containers of the pod may still run. */
  couldHaveRunningContainers(uid: string): boolean;
  /** Told of each status that was written. */
  onStatus(status: PodStatus): void;
}

/**
 * One pod at an API server, as far as a scenario needs it: the pod's source on one side, the sink of its status on the other, and in
 * between the rules of the pod's resource: generations, graceful deletion, statuses that several write.
 */
export class ApiPod {
  readonly #options: ApiPodOptions;
  #pod: Pod | undefined;
  #written = 0;
  #sink: StatusSink | undefined;

  /** Where the node gets the pod from. */
  readonly source: PodSource = {
    name: 'api',
    onPods: undefined,
    start: async () => this.source.onPods?.(this.#pod ? [this.#pod] : []),
    stop: async () => {},
  };

  constructor(options: ApiPodOptions) {
    this.#options = options;
  }

  /** Where the node's next agent brings its statuses to; the one before is no longer heard. */
  sink(): StatusSink {
    let statuses: StatusVersions | undefined;
    let patchIsDue = false;
    const sink: StatusSink = {
      start: async (versions) => {
        statuses = versions;
        this.#written = 0;
      },
      statusChanged: () => {
        if (patchIsDue) return;
        patchIsDue = true;
        this.#options.clock.setTimeout(() => {
          patchIsDue = false;
          if (statuses && this.#sink === sink) this.#patchStatus(statuses);
        }, patchMs);
      },
      stop: async () => {},
    };
    this.#sink = sink;
    return sink;
  }

  get pod(): Pod | undefined {
    return this.#pod;
  }

  create(pod: Pod): void {
    this.#set(pod);
  }

  /** Changes the spec: a new generation. */
  update(change: (pod: Pod) => Pod): void {
    if (this.#pod) this.#set(nextGeneration(change(this.#pod)));
  }

  /** Someone else than the node writes the status. */
  updateStatus(change: (status: PodStatus) => PodStatus): void {
    if (this.#pod) this.#set({ ...this.#pod, status: change(this.#pod.status ?? {}) });
  }

  /** Deletes the pod within its grace period; at once with 0 or if it has ended. */
  delete(gracePeriodSeconds = this.#pod?.spec?.terminationGracePeriodSeconds ?? 30): void {
    if (this.#pod === undefined) return;
    const grace = isTerminalPhase(this.#pod.status?.phase) ? 0 : gracePeriodSeconds;
    const deletionTimestamp = formatTime(this.#options.clock.now() + grace * 1000);
    const metadata = { ...this.#pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace };
    this.#set(nextGeneration({ ...this.#pod, metadata }));
    if (grace === 0) this.#remove();
  }

  #patchStatus(statuses: StatusVersions): void {
    const uid = this.#pod?.metadata?.uid;
    const entry = uid === undefined ? undefined : statuses.versionedStatus(uid);
    if (this.#pod === undefined || uid === undefined || entry === undefined) return;
    if (entry.version > this.#written) {
      this.#written = entry.version;
      const status = mergePodStatus({
        pod: this.#pod,
        apiStatus: this.#pod.status ?? {},
        newStatus: entry.status,
        couldHaveRunningContainers: this.#options.couldHaveRunningContainers(uid),
        now: this.#options.clock.now(),
      });
      this.#options.onStatus(status);
      this.#set({ ...this.#pod, status });
    }
    if (canBeDeleted(this.#pod, this.#pod.status ?? {}, entry.podIsFinished)) this.#remove();
  }

  #set(pod: Pod): void {
    this.#pod = pod;
    this.#options.clock.setTimeout(() => this.source.onPods?.([pod]), watchMs);
  }

  #remove(): void {
    this.#pod = undefined;
    this.#options.clock.setTimeout(() => this.source.onPods?.([]), watchMs);
  }
}

function nextGeneration(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, generation: (pod.metadata?.generation ?? 0) + 1 } };
}
