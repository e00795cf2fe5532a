import type { RuntimeContainerState } from '@nodeagent/api';
import { type ContainerStage, listedStage } from './container-event.js';
import type { PodSnapshot } from './pod-events.js';

/** A container or sandbox whose listed state differs from the known state; `undefined` stands for a missing one. */
export interface ContainerDrift {
  podUid: string;
  containerId: string;
  known: RuntimeContainerState | undefined;
  listed: RuntimeContainerState | undefined;
}

/** The differences between a complete listing and the known state. If a pod is listed twice, the last entry counts. */
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
 * Whether the drift affects the pod. The removal of an exited container does not; runtimes drop such events first when many pods terminate
 * at once.
 */
export function changesPod({ known, listed }: ContainerDrift): boolean {
  return known !== 'exited' || listed !== undefined;
}

/** When a drift was found: in the first listing after a reconnect, or in a later relist, which means that the stream lost an event. */
export type DriftOccasion = 'reconnect' | 'relist';

/** A difference that no event has reported yet. */
export interface SuspectedDrift extends ContainerDrift {
  foundAt: DriftOccasion;
  /** Monotonic milliseconds at which it is confirmed unless an event reports it before. */
  due: number;
}

/** Maximum number of containers whose events are recorded during a listing. */
const maxReported = 100_000;

/**
 * Compares listings with events. An event may arrive after a listing that already shows its change, so each difference has a grace time in
 * which an event can explain it.
 */
export function createDriftWatch(graceMs: number) {
  const suspects = new Map<string, SuspectedDrift>();
  /** Events since the start of the listing, and events not processed before it. */
  let reported: Map<string, ContainerStage> | undefined;

  return {
    /** Starts a listing; `before` are the events that are not processed yet. */
    begin(before: Iterable<readonly [containerId: string, stage: ContainerStage]>): void {
      reported = new Map();
      for (const [containerId, stage] of before) this.report(containerId, stage);
    },
    /** Adds the differences that the listing has found. */
    suspect(drifts: readonly ContainerDrift[], foundAt: DriftOccasion, now: number): void {
      for (const drift of drifts) {
        const stage = reported?.get(drift.containerId);
        if (stage !== undefined && stage >= listedStage(drift.listed)) continue;
        const due = suspects.get(drift.containerId)?.due ?? now + graceMs;
        suspects.set(drift.containerId, { ...drift, foundAt, due });
      }
    },
    /** Ends the listing. */
    end(): void {
      reported = undefined;
    },
    /** Records an event. */
    report(containerId: string, stage: ContainerStage): void {
      const suspect = suspects.get(containerId);
      if (suspect !== undefined && stage >= listedStage(suspect.listed)) suspects.delete(containerId);
      if (reported === undefined || reported.size >= maxReported) return;
      const before = reported.get(containerId);
      if (before === undefined || stage > before) reported.set(containerId, stage);
    },
    /** Removes and returns the differences whose grace time has ended. */
    takeConfirmed(now: number): SuspectedDrift[] {
      const confirmed = [...suspects.values()].filter(({ due }) => due <= now);
      for (const { containerId } of confirmed) suspects.delete(containerId);
      return confirmed;
    },
    /** When the next grace time ends; infinity if there is none. */
    nextDue(): number {
      let next = Number.POSITIVE_INFINITY;
      for (const { due } of suspects.values()) next = Math.min(next, due);
      return next;
    },
  };
}
