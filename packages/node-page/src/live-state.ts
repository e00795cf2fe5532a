import type { TimelineEntry, Timer } from '@nodeagent/api';
import { type NodeLine, nodeLine } from './node-line.js';
import type { ResolvedOptions } from './options.js';
import { type PodLine, podLine } from './pod-line.js';
import { createTimelineRing, type KeptEntry } from './timeline-ring.js';

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
}

/** A change of the state: the node, a new or changed pod, the uid of a removed pod, a new or repeated timeline entry, or the full state. */
export interface PageChange {
  id: string;
  event: 'node' | 'pod' | 'removed' | 'entry' | 'state';
  /** JSON. */
  data: string;
}

export interface LiveState {
  state(): PageState;
  /** Calls `onChange` with each change until {@link unwatch}. */
  watch(onChange: (change: PageChange) => void): void;
  unwatch(): void;
  /** The changes after the state with that id; the full state as a single change if the id is unknown or missing. */
  changesAfter(id: string | undefined): PageChange[];
  /** Stops listening to the agent. */
  close(): void;
}

/** Maximum number of remembered changes, for browsers that reconnect. */
const maxChanges = 500;
/** Delay between an event and the comparison, which batches simultaneous changes. */
const gatherMs = 100;

/**
 * Follows the agent. Without watchers it only records the timeline; with one it compares the pods and the node after events and every
 * `refreshPeriodMs`.
 */
export function createLiveState({ agent, clock, settings, ...facts }: ResolvedOptions): LiveState {
  const ring = createTimelineRing(settings.timelineLength);
  /** Distinguishes the ids of this instance from those of previous ones. */
  const instance = clock.now().toString(36);
  let number = 0;
  let onChange: ((change: PageChange) => void) | undefined;
  /** Newest last, without gaps up to `number`. */
  let changes: PageChange[] = [];
  /** The last compared state, as JSON by uid; the node's under the empty uid. */
  let seen = new Map<string, string>();
  let gathering: Timer | undefined;
  let refreshing: Timer | undefined;

  const idOf = (n: number) => `${instance}-${n}`;
  const readState = () => {
    const pods = agent.pods().map((view) => podLine(view, agent, clock.now()));
    return { pods, node: nodeLine(facts, agent, pods) };
  };
  const remember = ({ pods, node }: ReturnType<typeof readState>) => {
    seen = new Map([['', JSON.stringify(node)], ...pods.map((pod) => [pod.uid, JSON.stringify(pod)] as const)]);
  };
  const change = (event: PageChange['event'], data: string) => {
    number += 1;
    const next = { id: idOf(number), event, data };
    changes.push(next);
    if (changes.length > maxChanges) changes.shift();
    onChange?.(next);
  };
  /** Compares the state, and emits the differences if there is a watcher. */
  const compare = () => {
    const before = seen;
    const current = readState();
    remember(current);
    if (onChange === undefined) return current;
    for (const [uid, json] of seen) if (before.get(uid) !== json) change(uid === '' ? 'node' : 'pod', json);
    for (const uid of before.keys()) if (!seen.has(uid)) change('removed', JSON.stringify(uid));
    return current;
  };
  /** Skips an id: the change has no receiver, so earlier states cannot be resumed. */
  const skip = () => {
    number += 1;
    changes = [];
  };
  const scheduleCompare = () => {
    if (onChange === undefined) return skip();
    gathering ??= clock.setTimeout(() => {
      gathering = undefined;
      compare();
    }, gatherMs);
  };
  const refresh = () => {
    refreshing = clock.setTimeout(() => {
      compare();
      refresh();
    }, settings.refreshPeriodMs);
  };
  const onEntry = (entry: TimelineEntry) => {
    const kept = ring.add(entry);
    if (onChange !== undefined) change('entry', JSON.stringify(kept));
    scheduleCompare();
  };
  const unwatch = () => {
    onChange = undefined;
    gathering?.cancel();
    refreshing?.cancel();
    gathering = undefined;
    skip();
  };
  const state = (): PageState => {
    const current = compare();
    return { id: idOf(number), now: clock.now(), ...current, timeline: ring.entries() };
  };

  agent.on('timeline', onEntry);
  agent.on('status', scheduleCompare);
  agent.on('removed', scheduleCompare);
  return {
    state,
    watch(listener) {
      onChange = listener;
      refresh();
    },
    unwatch,
    changesAfter(id) {
      const oldest = number - changes.length;
      for (let known = oldest; known <= number; known += 1) if (id === idOf(known)) return changes.slice(known - oldest);
      const whole = state();
      return [{ id: whole.id, event: 'state', data: JSON.stringify(whole) }];
    },
    close() {
      unwatch();
      agent.off('timeline', onEntry);
      agent.off('status', scheduleCompare);
      agent.off('removed', scheduleCompare);
    },
  };
}
