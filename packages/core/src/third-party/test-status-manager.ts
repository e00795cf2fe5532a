import {
  type Clock,
  type PodStatus,
  podUid,
  type StatusListener,
  type StatusManager,
  type StatusSink,
  type VersionedPodStatus,
} from '@nodeagent/api';

/** Statuses in a map. Probes change nothing: its pods have none. */
export function createStatusManager(clock: Clock, sink: StatusSink | undefined): StatusManager {
  const entries = new Map<string, VersionedPodStatus>();
  const listeners = new Set<StatusListener>();
  let isStarted = false;
  const notify = (uid: string, status: PodStatus | undefined) => {
    for (const listener of listeners) listener(uid, status);
    if (isStarted) sink?.statusChanged(uid);
  };
  const forget = (uid: string) => {
    if (entries.delete(uid)) notify(uid, undefined);
  };
  return {
    getPodStatus: (uid) => entries.get(uid)?.status,
    setPodStatus(pod, status) {
      const uid = podUid(pod);
      const before = entries.get(uid);
      if (JSON.stringify(before?.status) === JSON.stringify(status)) return;
      const { name: podName = '', namespace: podNamespace = '' } = pod.metadata ?? {};
      const { version = 0, at = clock.now(), podIsFinished = false } = before ?? {};
      entries.set(uid, { status, version: version + 1, podName, podNamespace, at, podIsFinished });
      notify(uid, status);
    },
    setContainerReadiness: () => {},
    setContainerStartup: () => {},
    terminatePod(pod) {
      const uid = podUid(pod);
      const entry = entries.get(uid);
      if (!entry) return;
      entries.set(uid, { ...entry, version: entry.version + 1, podIsFinished: true });
      notify(uid, entry.status);
    },
    removeOrphanedStatuses(known) {
      for (const uid of entries.keys()) if (!known.has(uid)) forget(uid);
    },
    setPodReadyToStartContainers: () => {},
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start(signal) {
      isStarted = true;
      const versions = {
        versionedStatus: (uid: string) => entries.get(uid),
        versionedStatuses: () => entries.entries(),
        forgetPodStatus: forget,
      };
      await sink?.start(versions, signal);
    },
    async stop() {
      isStarted = false;
      await sink?.stop();
    },
  };
}
