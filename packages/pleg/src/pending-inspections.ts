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
}

/** Maximum number of containers recorded per pod; with more, the pod is inspected in any case. */
const maxReported = 64;

/** The queue of pending inspections: one per pod, for at most `capacity` pods. */
export function createPendingInspections(capacity: number) {
  const inspections = new Map<string, PendingInspection>();

  const entry = (podUid: string, due: number): PendingInspection | undefined => {
    const known = inspections.get(podUid);
    if (known !== undefined) {
      known.due = Math.min(known.due, due);
      return known;
    }
    if (inspections.size >= capacity) return undefined;
    const inspection: PendingInspection = { podUid, due, isRequested: false, reported: new Map() };
    inspections.set(podUid, inspection);
    return inspection;
  };
  const note = (inspection: PendingInspection, containerId: string, stage: ContainerStage) => {
    const before = inspection.reported.get(containerId);
    if (before === undefined && inspection.reported.size >= maxReported) inspection.isRequested = true;
    else if (before === undefined || stage > before) inspection.reported.set(containerId, stage);
  };

  return {
    get size() {
      return inspections.size;
    },
    /** False if the queue is full; the caller must then relist all pods. */
    request(podUid: string, due: number): boolean {
      const inspection = entry(podUid, due);
      if (inspection !== undefined) inspection.isRequested = true;
      return inspection !== undefined;
    },
    /** As {@link request}, but the inspection is skipped if the event is outdated by then. */
    report(podUid: string, containerId: string, stage: ContainerStage, due: number): boolean {
      const inspection = entry(podUid, due);
      if (inspection !== undefined) note(inspection, containerId, stage);
      return inspection !== undefined;
    },
    /** Removes and returns the first due inspection of a pod that is not `busy`. */
    take(now: number, busy: (podUid: string) => boolean): PendingInspection | undefined {
      for (const inspection of inspections.values()) {
        if (inspection.due > now || busy(inspection.podUid)) continue;
        inspections.delete(inspection.podUid);
        return inspection;
      }
      return undefined;
    },
    /** The next due time among pods that are not `busy`; infinity if there is none. */
    nextDue(busy: (podUid: string) => boolean): number {
      let due = Number.POSITIVE_INFINITY;
      for (const inspection of inspections.values()) if (inspection.due < due && !busy(inspection.podUid)) due = inspection.due;
      return due;
    },
    /** Empties the queue, because a full relist replaces the inspections. */
    takeAll(): PendingInspection[] {
      const all = [...inspections.values()];
      inspections.clear();
      return all;
    },
    /** Queues a failed inspection again, not before `due`. */
    putBack({ podUid, reported }: PendingInspection, due: number): boolean {
      const inspection = entry(podUid, due);
      if (inspection === undefined) return false;
      inspection.isRequested = true;
      for (const [containerId, stage] of reported) note(inspection, containerId, stage);
      return true;
    },
  };
}

export type PendingInspections = ReturnType<typeof createPendingInspections>;
