import { isDeepStrictEqual } from 'node:util';
import {
  findPodCondition,
  formatTime,
  isMirrorPod,
  isPodConditionTrue,
  isStaticPod,
  isTerminalPhase,
  type Pod,
  type PodStatus,
  podFullName,
  podUid,
  replaceOrAppendCondition,
  type StatusListener,
  type StatusManager,
} from '@nodeagent/api';

/** The ports of {@link createTestStatusManager}. */
export interface TestStatusManagerPorts {
  now(): number;
  /** All pods of the sources, including mirror pods. */
  pods(): Iterable<Pod>;
}

/** A status manager that keeps statuses in memory and reports them to its listeners. */
export function createTestStatusManager({ now, pods }: TestStatusManagerPorts): StatusManager {
  const statuses = new Map<string, PodStatus>();
  const listeners = new Set<StatusListener>();
  const notify: StatusListener = (uid, status) => {
    for (const listener of listeners) {
      try {
        listener(uid, status);
      } catch {
        // An error must not keep the next listener from being called.
      }
    }
  };
  const find = (uid: string) => [...pods()].find((pod) => podUid(pod) === uid);
  const withTimes = (status: PodStatus, before: PodStatus): PodStatus => ({
    ...status,
    startTime: before.startTime ?? status.startTime ?? formatTime(now()),
    conditions: (status.conditions ?? []).map((condition) => {
      const old = findPodCondition(before, condition.type);
      const unchanged = old?.status === condition.status && old.lastTransitionTime;
      return { ...condition, lastTransitionTime: unchanged || formatTime(now()) };
    }),
  });
  const accept = (pod: Pod, given: PodStatus) => {
    const before = statuses.get(podUid(pod)) ?? {};
    const restarted = given.containerStatuses?.some(
      ({ name, state }) => !state?.terminated && before.containerStatuses?.find((old) => old.name === name)?.state?.terminated,
    );
    const status = withTimes(given, before);
    if ((restarted && pod.spec?.restartPolicy === 'Never') || isDeepStrictEqual(status, before)) return;
    statuses.set(podUid(pod), status);
    notify(podUid(pod), status);
  };
  const change = (uid: string, containerId: string, fields: { ready: boolean } | { started: boolean }) => {
    const [pod, status] = [find(uid), statuses.get(uid)];
    if (!pod || !status?.containerStatuses?.some(({ containerID }) => containerID === containerId)) return;
    const containerStatuses = status.containerStatuses.map((each) => (each.containerID === containerId ? { ...each, ...fields } : each));
    let conditions = status.conditions ?? [];
    for (const type of 'ready' in fields ? ['Ready', 'ContainersReady'] : []) {
      conditions = replaceOrAppendCondition(conditions, { type, status: containerStatuses.every(({ ready }) => ready) ? 'True' : 'False' });
    }
    accept(pod, { ...status, containerStatuses, conditions });
  };
  const staticUid = (uid: string) => {
    const mirror = find(uid);
    if (!mirror || !isMirrorPod(mirror)) return uid;
    const original = [...pods()].find((pod) => podFullName(pod) === podFullName(mirror) && !isMirrorPod(pod));
    return original ? podUid(original) : uid;
  };
  return {
    getPodStatus: (uid) => statuses.get(staticUid(uid)),
    setPodStatus: accept,
    setContainerReadiness: (uid, containerId, ready) => change(uid, containerId, { ready }),
    setContainerStartup: (uid, containerId, started) => change(uid, containerId, { started }),
    terminatePod(pod) {
      const status = statuses.get(podUid(pod)) ?? pod.status ?? {};
      const containerStatuses = (status.containerStatuses ?? []).map((each) =>
        each.state?.terminated ? each : { ...each, state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
      );
      const phase = isTerminalPhase(status.phase) || isStaticPod(pod) ? status.phase : 'Failed';
      accept(pod, { ...status, containerStatuses, ...(phase !== undefined && { phase }) });
    },
    removeOrphanedStatuses(known) {
      for (const uid of statuses.keys()) if (!known.has(uid) && statuses.delete(uid)) notify(uid, undefined);
    },
    setPodReadyToStartContainers(pod) {
      const status = statuses.get(podUid(pod)) ?? pod.status ?? {};
      const type = 'PodReadyToStartContainers';
      if (isPodConditionTrue(status, type)) return;
      accept(pod, { ...status, conditions: replaceOrAppendCondition(status.conditions ?? [], { type, status: 'True' }) });
    },
    onStatus(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async start() {},
    async stop() {},
  };
}
