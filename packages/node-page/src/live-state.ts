import type { Pod, TimelineEntry, Timer } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { type Change, ChangeLog } from './change-log.js';
import { type NodeDetails, nodeDetails } from './node-details.js';
import { type NodeLine, nodeLine } from './node-line.js';
import type { ResolvedOptions } from './options.js';
import { type PodDetails, podDetails } from './pod-details.js';
import { type PodLine, podLine } from './pod-line.js';
import { createTimelineRing, type KeptEntry } from './timeline-ring.js';
import type { UsageSample } from './usage-history.js';
import { createUsageSampler, type UsageSampler } from './usage-sampler.js';

/** The full state of the page: the answer of `GET state`, and the first event of a stream that cannot resume. */
export interface PageState {
  /** Position of this state among the changes: a stream with this id as `after` starts there. */
  id: string;
  /** Milliseconds since 1970, by the agent's clock. */
  now: number;
  node: NodeLine;
  /** Sorted by namespace and name. */
  pods: PodLine[];
  /** Oldest first. */
  timeline: KeptEntry[];
  /** The last sample of usage; absent without one. */
  usage?: UsageSample;
}

/**
 * A change of the state: the node, a new or changed pod, the uid of a removed pod, a new or repeated timeline entry, a sample of usage, or the
 * full state.
 */
export type PageChange = Change<'node' | 'pod' | 'removed' | 'entry' | 'usage' | 'state'>;

export interface LiveState {
  state(): PageState;
  /** Undefined for an unknown pod. */
  pod(uid: string): PodDetails | undefined;
  node(): Promise<NodeDetails>;
  /** Calls `onChange` with each change until {@link unwatch}. */
  watch(onChange: (change: PageChange) => void): void;
  unwatch(): void;
  /** The changes after the state with that id; the full state as a single change if the id is unknown or missing. */
  changesAfter(id: string | undefined): PageChange[];
  /** Stops listening to the agent. */
  close(): void;
}

/** Delay between an event and the comparison, which batches simultaneous changes. */
const gatherMs = 100;

/**
 * Follows the agent. Without watchers it only records the timeline; with one it compares the pods and the node after events and every
 * `refreshPeriodMs`.
 */
export function createLiveState(options: ResolvedOptions): LiveState {
  return new FollowedAgent(options);
}

class FollowedAgent implements LiveState {
  readonly #options: ResolvedOptions;
  readonly #ring: ReturnType<typeof createTimelineRing>;
  readonly #log: ChangeLog<PageChange['event']>;
  #onChange: ((change: PageChange) => void) | undefined;
  /** The last compared state, as JSON by uid; the node's under the empty uid. */
  #seen = new Map<string, string>();
  /** Pods with an event since the last comparison; undefined: compare all, and the node. */
  #changed: Set<string> | undefined = new Set();
  #gathering: Timer | undefined;
  #refreshing: Timer | undefined;
  readonly #sampler: UsageSampler;

  constructor(options: ResolvedOptions) {
    const { agent, clock, settings } = options;
    this.#options = options;
    this.#ring = createTimelineRing(settings.timelineLength);
    this.#log = new ChangeLog(clock.now().toString(36));
    this.#sampler = createUsageSampler(agent, {
      clock,
      periodMs: settings.samplePeriodMs,
      onSample: (sample) => {
        if (this.#onChange !== undefined) this.#change('usage', JSON.stringify(sample));
      },
    });
    agent.on('timeline', this.#onEntry);
    agent.on('status', this.#onPod);
    agent.on('removed', this.#onPod);
  }

  state(): PageState {
    const current = this.#compare();
    const usage = this.#sampler.history.latest();
    const timeline = this.#ring.entries();
    return { id: this.#log.id, now: this.#options.clock.now(), ...current, timeline, ...(usage && { usage }) };
  }

  pod(uid: string): PodDetails | undefined {
    const { agent, clock } = this.#options;
    const view = agent.pods().find(({ pod }) => podUid(pod) === uid);
    const { history, containers } = this.#sampler;
    return view && podDetails(view, agent, { history: history.ofPod(uid), containers: containers(uid), now: clock.now() });
  }

  node(): Promise<NodeDetails> {
    const { agent, version, runtime, addresses } = this.#options;
    const { history, startTime } = this.#sampler;
    return nodeDetails(agent, { version, runtime, addresses, history: history.ofNode(), startTime: startTime() });
  }

  watch(onChange: (change: PageChange) => void): void {
    this.#onChange = onChange;
    this.#sampler.watched();
    this.#refresh();
  }

  unwatch(): void {
    this.#onChange = undefined;
    this.#sampler.unwatched();
    this.#gathering?.cancel();
    this.#refreshing?.cancel();
    this.#gathering = undefined;
    this.#log.skip();
  }

  changesAfter(id: string | undefined): PageChange[] {
    const changes = this.#log.after(id);
    if (changes) return changes;
    const whole = this.state();
    return [{ id: whole.id, event: 'state', data: JSON.stringify(whole) }];
  }

  close(): void {
    const { agent } = this.#options;
    this.unwatch();
    this.#sampler.stop();
    agent.off('timeline', this.#onEntry);
    agent.off('status', this.#onPod);
    agent.off('removed', this.#onPod);
  }

  #onEntry = (entry: TimelineEntry): void => {
    const kept = this.#ring.add(entry);
    if (this.#onChange !== undefined) this.#change('entry', JSON.stringify(kept));
    this.#scheduleCompare(entry.pod?.uid);
  };

  #onPod = (pod?: Pod): void => this.#scheduleCompare(pod && podUid(pod));

  /** Schedules a comparison of this pod; without one of all pods and the node. */
  #scheduleCompare(uid: string | undefined): void {
    if (this.#onChange === undefined) {
      this.#log.skip();
      return;
    }
    if (uid === undefined) this.#changed = undefined;
    else this.#changed?.add(uid);
    this.#gathering ??= this.#options.clock.setTimeout(() => {
      this.#gathering = undefined;
      this.#compareChanged();
    }, gatherMs);
  }

  #refresh(): void {
    const { clock, settings } = this.#options;
    this.#refreshing = clock.setTimeout(() => {
      this.#compare();
      this.#refresh();
    }, settings.refreshPeriodMs);
  }

  /** Compares the pods with events. What an event of a pod changes of the node, such as the summary, follows from its health. */
  #compareChanged(): void {
    const { agent, clock } = this.#options;
    const changed = this.#changed;
    if (changed === undefined || this.#seen.size === 0) return void this.#compare();
    this.#changed = new Set();
    const views = agent.pods().filter(({ pod }) => changed.has(podUid(pod)));
    const lines = views.map((view) => podLine(view, agent, clock.now()));
    const isSame = ({ uid, health }: PodLine) => this.#seen.get(uid)?.includes(JSON.stringify(health));
    if (lines.length < changed.size || !lines.every(isSame)) return void this.#compare();
    for (const line of lines) this.#put('pod', line.uid, JSON.stringify(line));
  }

  /** Emits the node or a pod if it has changed. */
  #put(event: 'node' | 'pod', uid: string, json: string): void {
    if (this.#seen.get(uid) === json) return;
    this.#seen.set(uid, json);
    this.#change(event, json);
  }

  /** Compares the state, and emits the differences if there is a watcher. */
  #compare() {
    this.#changed = new Set();
    const before = this.#seen;
    const current = this.#readState();
    this.#seen = jsonByUid(current);
    if (this.#onChange === undefined) return current;
    for (const [uid, json] of this.#seen) if (before.get(uid) !== json) this.#change(uid === '' ? 'node' : 'pod', json);
    for (const uid of before.keys()) if (!this.#seen.has(uid)) this.#change('removed', JSON.stringify(uid));
    return current;
  }

  #readState(): Pick<PageState, 'pods' | 'node'> {
    const { agent, clock, settings: _, ...facts } = this.#options;
    const pods = agent.pods().map((view) => podLine(view, agent, clock.now()));
    return { pods, node: nodeLine(facts, agent, pods) };
  }

  #change(event: PageChange['event'], data: string): void {
    const next = this.#log.add(event, data);
    this.#onChange?.(next);
  }
}

const jsonByUid = ({ pods, node }: Pick<PageState, 'pods' | 'node'>): Map<string, string> =>
  new Map([['', JSON.stringify(node)], ...pods.map((pod) => [pod.uid, JSON.stringify(pod)] as const)]);
