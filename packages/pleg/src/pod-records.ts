import type { PodLifecycleEvent, RuntimePod } from '@nodeagent/api';
import { computePodEvents } from './pod-events.js';

interface PodRecord {
  /** The snapshot for which events were last sent. */
  old: RuntimePod | undefined;
  /** The last observed snapshot; undefined once the pod was removed. */
  current: RuntimePod | undefined;
  /** Number of the last listing that contained the pod. */
  listing: number;
}

/** A changed pod, whose status the generator fetches before it sends events. */
export interface PodChange {
  podUid: string;
  current: RuntimePod | undefined;
  events: readonly PodLifecycleEvent[];
}

/**
 * The generator's records: for each pod the snapshot that its events are based on, and the newest one from a full listing or an inspection
 * of the pod.
 */
export function createPodRecords() {
  const records = new Map<string, PodRecord>();
  const reinspect = new Set<string>();
  /** The pod of each container and sandbox in the newest snapshots. */
  const owners = new Map<string, string>();
  let listing = 0;

  const change = (podUid: string, record: PodRecord): PodChange | undefined => {
    const events = computePodEvents(record.old, record.current);
    const isRequested = reinspect.delete(podUid);
    return events.length > 0 || isRequested ? { podUid, current: record.current, events } : undefined;
  };

  const replaceCurrent = (record: PodRecord, podUid: string, pod: RuntimePod | undefined) => {
    for (const list of [record.current?.sandboxes, record.current?.containers]) for (const { id } of list ?? []) owners.delete(id);
    for (const list of [pod?.sandboxes, pod?.containers]) for (const { id } of list ?? []) owners.set(id, podUid);
    record.current = pod;
  };
  const setCurrent = (podUid: string, pod: RuntimePod | undefined): PodRecord | undefined => {
    const known = records.get(podUid);
    if (known === undefined && pod === undefined) return undefined;
    const record = known ?? { old: undefined, current: undefined, listing };
    if (known === undefined) records.set(podUid, record);
    record.listing = listing;
    replaceCurrent(record, podUid, pod);
    return record;
  };

  return {
    /** Stores a complete listing: pods that it lacks were removed. If a pod is listed twice, the last entry counts. */
    setAll(pods: readonly RuntimePod[]): PodChange[] {
      listing++;
      for (const pod of pods) if (pod.uid !== '') setCurrent(pod.uid, pod);
      const changes: PodChange[] = [];
      for (const [podUid, record] of records) {
        if (record.listing !== listing) replaceCurrent(record, podUid, undefined);
        const found = change(podUid, record);
        if (found !== undefined) changes.push(found);
      }
      return changes;
    },
    /** Stores the snapshot of one pod; `undefined` means that it was removed. */
    setOne(podUid: string, pod: RuntimePod | undefined): PodChange | undefined {
      const record = setCurrent(podUid, pod);
      return record && change(podUid, record);
    },
    /** The last observed snapshot of the pod. */
    current: (podUid: string): RuntimePod | undefined => records.get(podUid)?.current,
    /** The last observed snapshots of all pods. */
    *pods(): Generator<RuntimePod, void, undefined> {
      for (const { current } of records.values()) if (current !== undefined) yield current;
    },
    /** The pod that has or last had this container or sandbox. */
    podOf(containerId: string): RuntimePod | undefined {
      const podUid = owners.get(containerId);
      return podUid === undefined ? undefined : records.get(podUid)?.current;
    },
    /** Records that the change's events were sent; the next ones are computed from this snapshot. */
    advance({ podUid, current }: PodChange): void {
      const record = records.get(podUid);
      if (current === undefined) records.delete(podUid);
      else if (record !== undefined) record.old = current;
    },
    /** Reports the pod as changed next time even without a difference. Requests for unknown pods are kept up to a limit. */
    reinspect(podUid: string): void {
      const [oldest] = reinspect;
      if (reinspect.size >= maxReinspect && oldest !== undefined) reinspect.delete(oldest);
      reinspect.add(podUid);
    },
  };
}

/** Far more than the pods of a node. */
const maxReinspect = 10_000;
