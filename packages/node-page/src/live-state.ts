import type { TimelineEntry, Timer } from '@nodeagent/api';
import { type NodeLine, nodeLine } from './node-line.js';
import type { ResolvedOptions } from './options.js';
import { type PodLine, podLine } from './pod-line.js';
import { createTimelineRing, type KeptEntry } from './timeline-ring.js';

/** All that the page shows, as `GET state` answers it and as a stream of changes begins where it cannot go on from an earlier one. */
export interface PageState {
  /** Where this state stands among the changes: a stream that is asked for what comes `after` it begins there. */
  id: string;
  /** Milliseconds since 1970, by the agent's clock. */
  now: number;
  node: NodeLine;
  /** By namespace and name. */
  pods: PodLine[];
  /** The oldest first. */
  timeline: KeptEntry[];
}

/** A change of the state: the new node, a new or changed pod, the uid of one that is gone, a new or repeated entry, or all of it. */
export interface PageChange {
  id: string;
  event: 'node' | 'pod' | 'gone' | 'entry' | 'state';
  /** JSON. */
  data: string;
}

export interface LiveState {
  state(): PageState;
  /** From now on changes are given to `onChange`, until {@link unwatch}. */
  watch(onChange: (change: PageChange) => void): void;
  unwatch(): void;
  /** What changed after the state with that id; one change to the whole state if that is not known any more, or without an id. */
  changesAfter(id: string | undefined): PageChange[];
  /** Forgets the agent. */
  close(): void;
}

/** Changes that are remembered for browsers that come back. */
const changesKept = 500;
/** From something that happened to the look at what it changed, so that what happens together is looked at once. */
const gatherMs = 100;

/**
 * Follows the agent. While nobody watches only the time line is kept; while somebody does, the pods and the node are looked at anew after
 * something happened and every `refreshPeriodMs`.
 */
export function createLiveState({ agent, clock, settings, ...facts }: ResolvedOptions): LiveState {
  const ring = createTimelineRing(settings.timelineLength);
  /** Tells the ids of this life of the agent from those of earlier ones. */
  const life = clock.now().toString(36);
  let number = 0;
  let onChange: ((change: PageChange) => void) | undefined;
  /** The newest last; without a gap up to `number`. */
  let changes: PageChange[] = [];
  /** What the last look saw, as JSON by uid; the node's by the empty one. */
  let seen = new Map<string, string>();
  let gathering: Timer | undefined;
  let refreshing: Timer | undefined;

  const idOf = (n: number) => `${life}-${n}`;
  const look = () => {
    const pods = agent.pods().map((view) => podLine(view, agent, clock.now()));
    return { pods, node: nodeLine(facts, agent, pods) };
  };
  const remember = ({ pods, node }: ReturnType<typeof look>) => {
    seen = new Map([['', JSON.stringify(node)], ...pods.map((pod) => [pod.uid, JSON.stringify(pod)] as const)]);
  };
  const change = (event: PageChange['event'], data: string) => {
    number += 1;
    const next = { id: idOf(number), event, data };
    changes.push(next);
    if (changes.length > changesKept) changes.shift();
    onChange?.(next);
  };
  /** Looks, and tells what is different from the last look if somebody watches. */
  const compare = () => {
    const before = seen;
    const looked = look();
    remember(looked);
    if (onChange === undefined) return looked;
    for (const [uid, json] of seen) if (before.get(uid) !== json) change(uid === '' ? 'node' : 'pod', json);
    for (const uid of before.keys()) if (!seen.has(uid)) change('gone', JSON.stringify(uid));
    return looked;
  };
  /** Nobody gets the change, so the states before it cannot be gone on from. */
  const skip = () => {
    number += 1;
    changes = [];
  };
  const stir = () => {
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
    stir();
  };
  const unwatch = () => {
    onChange = undefined;
    gathering?.cancel();
    refreshing?.cancel();
    gathering = undefined;
    skip();
  };
  const state = (): PageState => {
    const looked = compare();
    return { id: idOf(number), now: clock.now(), ...looked, timeline: ring.entries() };
  };

  agent.on('timeline', onEntry);
  agent.on('status', stir);
  agent.on('removed', stir);
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
      agent.off('status', stir);
      agent.off('removed', stir);
    },
  };
}
