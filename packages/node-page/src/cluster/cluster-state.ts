import type { Timer } from '@nodeagent/api';
import {
  type ChangedPods,
  type ClusterVerdict,
  changedPods,
  clusterVerdict,
  createPodModels,
  type NodeModel,
  nodeModel,
  type PodDetailsModel,
  type PodModel,
  podDetails,
  type WorkloadModel,
  workloadModel,
} from '@nodeagent/pod-view/cluster';
import { type Change, ChangeLog } from '../change-log.js';
import type { FollowedState } from '../event-stream.js';
import { createTimelineRing, type KeptEntry } from '../timeline-ring.js';
import type { ClusterPageChange, ResolvedClusterOptions } from './options.js';
import { timelineEntries } from './timeline-entries.js';

/** What the page shows of the cluster; `nodes` and `workloads` are complete. */
interface ClusterModel {
  nodes: NodeModel[];
  pods: PodModel[];
  workloads: WorkloadModel[];
  verdict: ClusterVerdict;
}

/** The full state: the answer of `GET state`, and the first event of a stream that cannot resume. */
interface ClusterState extends ClusterModel {
  /** Position of this state among the changes: a stream with this id as `after` starts there. */
  id: string;
  /** Milliseconds since 1970, by the cluster's clock. */
  now: number;
  speed: number;
  /** Oldest first. */
  timeline: KeptEntry[];
}

/** What has changed; absent fields have not. */
interface ClusterFrame extends ChangedPods, Partial<Omit<ClusterModel, 'pods'>> {
  now: number;
}

/** The share of the time that comparisons may take: after one that took 1 ms the next is at least 10 ms away. */
const restFactor = 10;
/** Lines of the log of each container. */
const maxLogLines = 20;

/**
 * Follows a cluster. Without browsers it only records the timeline; with one it compares the cluster after changes, at most every `gatherMs`,
 * and less often if a comparison takes long.
 */
export class FollowedCluster implements FollowedState {
  readonly #options: ResolvedClusterOptions;
  readonly #ring: ReturnType<typeof createTimelineRing>;
  readonly #log: ChangeLog<'state' | 'frame' | 'entry'>;
  readonly #readPods = createPodModels();
  readonly #stopWatching: () => void;
  #onChange: ((change: Change) => void) | undefined;
  #gathering: Timer | undefined;
  #restsUntil = 0;
  /** What was compared last: pods by id, and all else as JSON. */
  #pods = new Map<string, PodModel>();
  #rest = new Map<string, string>();

  constructor(options: ResolvedClusterOptions) {
    const { source, clock, settings } = options;
    this.#options = options;
    this.#ring = createTimelineRing(settings.timelineLength);
    this.#log = new ChangeLog(clock.now().toString(36));
    this.#stopWatching = source.watch((change) => this.#receive(change));
  }

  state(): ClusterState {
    const { source, speed } = this.#options;
    const model = this.#compare();
    return { id: this.#log.id, now: source.now(), speed, ...model, timeline: this.#ring.entries() };
  }

  /** Undefined for an unknown pod. */
  pod(name: string, namespace: string): PodDetailsModel | undefined {
    const { source } = this.#options;
    const pod = source.pod(name, namespace);
    if (pod === undefined) return undefined;
    const logs = (container: string) => source.logs(pod, container).slice(-maxLogLines);
    return podDetails(pod, { now: source.now(), events: source.events(name, namespace), logs });
  }

  watch(onChange: (change: Change) => void): void {
    this.#onChange = onChange;
  }

  unwatch(): void {
    this.#onChange = undefined;
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#log.skip();
  }

  changesAfter(id: string | undefined): readonly Change[] {
    const changes = this.#log.after(id);
    if (changes) return changes;
    const whole = this.state();
    return [{ id: whole.id, event: 'state', data: JSON.stringify(whole) }];
  }

  close(): void {
    this.unwatch();
    this.#stopWatching();
  }

  #receive(change: ClusterPageChange): void {
    const entries = timelineEntries(change, this.#options.source.now()).map((entry) => this.#ring.add(entry));
    if (this.#onChange === undefined) {
      this.#log.skip();
      return;
    }
    for (const entry of entries) this.#emit('entry', JSON.stringify(entry));
    if (change.resource !== 'events' && change.resource !== 'leases') this.#gather();
  }

  #gather(): void {
    const { clock, settings } = this.#options;
    this.#gathering ??= clock.setTimeout(
      () => {
        this.#gathering = undefined;
        const startedAt = clock.monotonic();
        this.#compare();
        const endedAt = clock.monotonic();
        this.#restsUntil = endedAt + restFactor * (endedAt - startedAt);
      },
      Math.max(settings.gatherMs, this.#restsUntil - clock.monotonic()),
    );
  }

  /** Compares the cluster, and emits the differences if there is a watcher. */
  #compare(): ClusterModel {
    const model = this.#read();
    const [pods, rest] = [this.#pods, this.#rest];
    this.#pods = new Map(model.pods.map((pod) => [pod.id, pod]));
    const { pods: _, ...others } = model;
    this.#rest = new Map(Object.entries(others).map(([name, value]) => [name, JSON.stringify(value)]));
    if (this.#onChange === undefined) return model;
    const changed = Object.fromEntries(Object.entries(others).filter(([name]) => rest.get(name) !== this.#rest.get(name)));
    const frame: ClusterFrame = { now: this.#options.source.now(), ...changed, ...changedPods(pods, this.#pods) };
    if (Object.keys(frame).length > 1) this.#emit('frame', JSON.stringify(frame));
    return model;
  }

  #read(): ClusterModel {
    const { source } = this.#options;
    const nodes = source.nodes().map(nodeModel);
    const pods = this.#readPods(source.pods(), source.now());
    return { nodes, pods, workloads: source.workloads().map(workloadModel), verdict: clusterVerdict(nodes, pods) };
  }

  #emit(event: 'frame' | 'entry', data: string): void {
    this.#onChange?.(this.#log.add(event, data));
  }
}
