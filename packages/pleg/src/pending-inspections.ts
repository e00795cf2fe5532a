import type { RuntimeChange } from '@nodeagent/api';
import type { ContainerStage } from './container-event.js';

/** A pod that waits for an inspection, with the events that caused it. */
export interface PendingInspection {
  podUid: string;
  /** Monotonic milliseconds. */
  due: number;
  /** Inspect even if the events report nothing new. */
  isRequested: boolean;
  /** The latest stage of each container according to events. */
  reported: Map<string, ContainerStage>;
  /** The sandbox of each container whose event names it. */
  podSandboxIds: Map<string, string>;
  /** What the agent's calls have changed, by container or sandbox. */
  changes: Map<string, RuntimeChange>;
}

/** Maximum number of containers recorded per pod; with more, the whole pod is inspected. */
const maxReported = 64;

/** What an event reports about a container or sandbox. */
interface ReportedStage {
  containerId: string;
  stage: ContainerStage;
  podSandboxId?: string | undefined;
}

/** The queue of pending inspections: one per pod, for at most `capacity` pods. */
export interface PendingInspections {
  readonly size: number;
  /** False if the queue is full; the caller must then relist all pods. */
  request(podUid: string, due: number): boolean;
  /** As {@link request}, but the inspection is skipped if the event is outdated by then. */
  report(podUid: string, reported: ReportedStage, due: number): boolean;
  /** A change by the agent: the inspection reads the container or sandbox in any case. False as in {@link request}. */
  change(podUid: string, change: RuntimeChange, due: number): boolean;
  /** The pod with changes of this container or sandbox. */
  podOf(id: string): string | undefined;
  /** Whether changes of the pod wait for an inspection. */
  hasChanges(podUid: string): boolean;
  /** Inspects a pod that waits not later than at `due`. */
  hasten(podUid: string, due: number): void;
  /** Removes and returns the first due inspection of a pod that is not `busy`. */
  take(now: number, busy: (podUid: string) => boolean): PendingInspection | undefined;
  /** The next due time among pods that are not `busy`; infinity if there is none. */
  nextDue(busy: (podUid: string) => boolean): number;
  /** Empties the queue, because a full relist replaces the inspections. */
  takeAll(): PendingInspection[];
  /** Queues a failed inspection again, not before `due`. */
  putBack(inspection: PendingInspection, due: number): boolean;
}

export function createPendingInspections(capacity: number): PendingInspections {
  return new Inspections(capacity);
}

class Inspections implements PendingInspections {
  readonly #capacity: number;
  readonly #inspections = new Map<string, PendingInspection>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#inspections.size;
  }

  request(podUid: string, due: number): boolean {
    const inspection = this.#entry(podUid, due);
    if (inspection !== undefined) inspection.isRequested = true;
    return inspection !== undefined;
  }

  report(podUid: string, { containerId, stage, podSandboxId }: ReportedStage, due: number): boolean {
    // The agent's own call reports its end, so the event is no reason to inspect earlier.
    const isOwn = this.#inspections.get(podUid)?.changes.has(containerId);
    const inspection = this.#entry(podUid, isOwn ? Number.POSITIVE_INFINITY : due);
    if (inspection === undefined) return false;
    note(inspection, containerId, stage);
    if (podSandboxId && inspection.reported.has(containerId)) inspection.podSandboxIds.set(containerId, podSandboxId);
    return true;
  }

  change(podUid: string, change: RuntimeChange, due: number): boolean {
    const inspection = this.#entry(podUid, due);
    if (inspection === undefined) return false;
    const { id } = change;
    const before = id === undefined ? undefined : inspection.changes.get(id);
    if (id === undefined || (before === undefined && inspection.changes.size >= maxReported)) inspection.isRequested = true;
    else {
      const { sandbox: _, ...known } = before ?? {};
      inspection.changes.set(id, { ...known, ...change });
    }
    return true;
  }

  podOf(id: string): string | undefined {
    for (const { podUid, changes } of this.#inspections.values()) if (changes.has(id)) return podUid;
    return undefined;
  }

  hasChanges(podUid: string): boolean {
    return (this.#inspections.get(podUid)?.changes.size ?? 0) > 0;
  }

  hasten(podUid: string, due: number): void {
    this.#entry(podUid, due);
  }

  take(now: number, busy: (podUid: string) => boolean): PendingInspection | undefined {
    for (const inspection of this.#inspections.values()) {
      if (inspection.due > now || busy(inspection.podUid)) continue;
      this.#inspections.delete(inspection.podUid);
      return inspection;
    }
    return undefined;
  }

  nextDue(busy: (podUid: string) => boolean): number {
    let due = Number.POSITIVE_INFINITY;
    for (const inspection of this.#inspections.values()) if (inspection.due < due && !busy(inspection.podUid)) due = inspection.due;
    return due;
  }

  takeAll(): PendingInspection[] {
    const all = [...this.#inspections.values()];
    this.#inspections.clear();
    return all;
  }

  putBack({ podUid, reported }: PendingInspection, due: number): boolean {
    const inspection = this.#entry(podUid, due);
    if (inspection === undefined) return false;
    inspection.isRequested = true;
    for (const [containerId, stage] of reported) note(inspection, containerId, stage);
    return true;
  }

  /** The pod's inspection, due not later than at `due`; undefined if the queue is full. */
  #entry(podUid: string, due: number): PendingInspection | undefined {
    const known = this.#inspections.get(podUid);
    if (known !== undefined) {
      known.due = Math.min(known.due, due);
      return known;
    }
    if (this.#inspections.size >= this.#capacity) return undefined;
    const inspection = {
      podUid,
      due,
      isRequested: false,
      reported: new Map(),
      podSandboxIds: new Map(),
      changes: new Map(),
    };
    this.#inspections.set(podUid, inspection);
    return inspection;
  }
}

function note(inspection: PendingInspection, containerId: string, stage: ContainerStage): void {
  const before = inspection.reported.get(containerId);
  if (before === undefined && inspection.reported.size >= maxReported) inspection.isRequested = true;
  else if (before === undefined || stage > before) inspection.reported.set(containerId, stage);
}
