import type { PodLifecycleEvent, RuntimePod } from '@nodeagent/api';
import { computePodEvents } from './pod-events.js';

interface PodRecord {
  /** What events were last sent for. */
  old: RuntimePod | undefined;
  /** What was last seen; undefined once the pod is gone. */
  current: RuntimePod | undefined;
  /** The listing that had it last. */
  listing: number;
}

/** A pod whose status is to be asked for before anybody hears of it. */
export interface PodChange {
  podUid: string;
  current: RuntimePod | undefined;
  events: readonly PodLifecycleEvent[];
}

/**
 * What the generator remembers of each pod: the snapshot that its events are based on and the newest one. The step that turns both
 * into work is the same whether the newest came from a full listing, from a look at one pod or from a runtime's event.
 */
export function createPodRecords() {
  const records = new Map<string, PodRecord>();
  const reinspect = new Set<string>();
  let listing = 0;

  const change = (podUid: string, record: PodRecord): PodChange | undefined => {
    const events = computePodEvents(record.old, record.current);
    const asked = reinspect.delete(podUid);
    return events.length > 0 || asked ? { podUid, current: record.current, events } : undefined;
  };

  const setCurrent = (podUid: string, pod: RuntimePod | undefined): PodRecord | undefined => {
    const known = records.get(podUid);
    if (known !== undefined) {
      known.current = pod;
      known.listing = listing;
      return known;
    }
    if (pod === undefined) return undefined;
    const record = { old: undefined, current: pod, listing };
    records.set(podUid, record);
    return record;
  };

  return {
    /** Takes a complete listing: pods that it lacks are gone. Of a pod that it has twice the last entry counts. */
    setAll(pods: readonly RuntimePod[]): PodChange[] {
      listing++;
      for (const pod of pods) if (pod.uid !== '') setCurrent(pod.uid, pod);
      const changes: PodChange[] = [];
      for (const [podUid, record] of records) {
        if (record.listing !== listing) record.current = undefined;
        const found = change(podUid, record);
        if (found !== undefined) changes.push(found);
      }
      return changes;
    },
    /** Takes a look at one pod; `undefined` means that it is gone. */
    setOne(podUid: string, pod: RuntimePod | undefined): PodChange | undefined {
      const record = setCurrent(podUid, pod);
      return record && change(podUid, record);
    },
    /** The pod as last seen. */
    current: (podUid: string): RuntimePod | undefined => records.get(podUid)?.current,
    /** Every pod as last seen. */
    *pods(): Generator<RuntimePod, void, undefined> {
      for (const { current } of records.values()) if (current !== undefined) yield current;
    },
    /** The pod that was last seen to have this container or sandbox. */
    podOf(containerId: string): RuntimePod | undefined {
      for (const { current } of records.values()) {
        if (current?.containers.some(({ id }) => id === containerId) || current?.sandboxes.some(({ id }) => id === containerId))
          return current;
      }
      return undefined;
    },
    /** The change's events are on their way: the next ones are computed from here. */
    advance({ podUid, current }: PodChange): void {
      const record = records.get(podUid);
      if (current === undefined) records.delete(podUid);
      else if (record !== undefined) record.old = current;
    },
    /** Makes the pod a change next time even if nothing differs. Requests for pods that never come are kept up to a limit. */
    reinspect(podUid: string): void {
      const [oldest] = reinspect;
      if (reinspect.size >= maxReinspect && oldest !== undefined) reinspect.delete(oldest);
      reinspect.add(podUid);
    },
  };
}

/** Far beyond the pods of a node. */
const maxReinspect = 10_000;
