import type { RuntimeContainerState } from '@nodeagent/api';
import { type LifeStage, listedStage } from './container-event.js';
import type { PodSnapshot } from './pod-events.js';

/** A container or sandbox that a listing shows otherwise than it was known; `undefined` is one that is not there. */
export interface ContainerDrift {
  podUid: string;
  containerId: string;
  known: RuntimeContainerState | undefined;
  listed: RuntimeContainerState | undefined;
}

/** In what a complete listing differs from what is known. Of a pod that appears twice in the listing the last entry counts. */
export function findDrift(known: Iterable<PodSnapshot>, listing: Iterable<PodSnapshot>): ContainerDrift[] {
  const listed = new Map<string, PodSnapshot>();
  for (const pod of listing) if (pod.uid !== '') listed.set(pod.uid, pod);
  const drifts: ContainerDrift[] = [];
  for (const before of known) {
    comparePod(before.uid, before, listed.get(before.uid), drifts);
    listed.delete(before.uid);
  }
  for (const pod of listed.values()) comparePod(pod.uid, undefined, pod, drifts);
  return drifts;
}

function comparePod(podUid: string, known: PodSnapshot | undefined, listed: PodSnapshot | undefined, drifts: ContainerDrift[]): void {
  const before = statesOf(known);
  const after = statesOf(listed);
  for (const [containerId, state] of before) {
    if (state !== after.get(containerId)) drifts.push({ podUid, containerId, known: state, listed: after.get(containerId) });
  }
  for (const [containerId, state] of after) {
    if (!before.has(containerId)) drifts.push({ podUid, containerId, known: undefined, listed: state });
  }
}

function statesOf(pod: PodSnapshot | undefined): Map<string, RuntimeContainerState> {
  const states = new Map<string, RuntimeContainerState>();
  for (const list of [pod?.containers, pod?.sandboxes]) for (const { id, state } of list ?? []) states.set(id, state);
  return states;
}

/**
 * Whether the pod of a drift is another one than was known. That an exited container was removed changes nothing for it, and runtimes drop
 * such events first when many pods end at once.
 */
export function changesPod({ known, listed }: ContainerDrift): boolean {
  return known !== 'exited' || listed !== undefined;
}

/** When a drift was found: in the first listing of a new stream, or in a later one, which means that the stream lost something. */
export type DriftOccasion = 'reconnect' | 'relist';

/** A difference that no event has told yet. */
export interface SuspectedDrift extends ContainerDrift {
  foundAt: DriftOccasion;
  /** When it counts unless an event tells it before, monotonic milliseconds. */
  due: number;
}

/** Containers whose events are remembered while a listing runs. */
const maxTold = 100_000;

/**
 * Judges differences between listings and events: an event may still be on its way when the listing already shows what it tells, so
 * each difference has a grace time in which an event can explain it.
 */
export function createDriftWatch(graceMs: number) {
  const suspects = new Map<string, SuspectedDrift>();
  /** Events that came since the listing began, or were not yet looked into. */
  let told: Map<string, LifeStage> | undefined;

  return {
    /** A listing begins; `before` are events that nobody has looked into yet. */
    begin(before: Iterable<readonly [containerId: string, stage: LifeStage]>): void {
      told = new Map();
      for (const [containerId, stage] of before) this.tell(containerId, stage);
    },
    /** The listing differs in this from what was known. */
    suspect(drifts: readonly ContainerDrift[], foundAt: DriftOccasion, now: number): void {
      for (const drift of drifts) {
        const stage = told?.get(drift.containerId);
        if (stage !== undefined && stage >= listedStage(drift.listed)) continue;
        const due = suspects.get(drift.containerId)?.due ?? now + graceMs;
        suspects.set(drift.containerId, { ...drift, foundAt, due });
      }
    },
    /** The listing is through. */
    end(): void {
      told = undefined;
    },
    /** An event came. */
    tell(containerId: string, stage: LifeStage): void {
      const suspect = suspects.get(containerId);
      if (suspect !== undefined && stage >= listedStage(suspect.listed)) suspects.delete(containerId);
      if (told === undefined || told.size >= maxTold) return;
      const before = told.get(containerId);
      if (before === undefined || stage > before) told.set(containerId, stage);
    },
    /** Takes those whose time is up. */
    takeConfirmed(now: number): SuspectedDrift[] {
      const confirmed = [...suspects.values()].filter(({ due }) => due <= now);
      for (const { containerId } of confirmed) suspects.delete(containerId);
      return confirmed;
    },
    /** When the next one counts; infinity if there is none. */
    nextDue(): number {
      let next = Number.POSITIVE_INFINITY;
      for (const { due } of suspects.values()) next = Math.min(next, due);
      return next;
    },
  };
}
