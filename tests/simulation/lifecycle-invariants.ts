import type { Pod } from '@nodeagent/api';
import { findContainer, isMirrorPod, isSidecar, podUid } from '@nodeagent/api/helpers';
import type { Part } from './fault-bounds.js';
import type { Stop } from './history.js';
import { type Invariant, runtimeId, type Snapshot } from './snapshot.js';

/** The runtime gets at least this grace period, in seconds. */
export const minimumGraceSeconds = 2;

/** A stopped container, its pod, and the shortest grace period that it was given. */
interface StoppedContainer {
  pod: Pod;
  name: string;
  graceSeconds: number;
}

/**
 * Undefined if the agent does not know the pod or rejected it, and did not start the container: it stops such a container like one of an unknown
 * pod. Also undefined for a pod that was removed at the API server. An agent evicts and preempts without a grace period.
 */
export function stoppedPod({ history }: Snapshot, { id, isOwn, isAdmitted, isEvicted }: Stop): StoppedContainer | undefined {
  const { podUid: uid, name } = history.containers.get(id) ?? { podUid: '', name: '' };
  const pod = history.pods.get(uid) ?? history.staticPods.get(uid);
  if (pod === undefined || !(isOwn || isAdmitted)) return undefined;
  const { terminationGracePeriodSeconds: own = 30 } = pod.spec ?? {};
  return { pod, name, graceSeconds: isEvicted ? 0 : Math.min(own, history.graces.get(uid) ?? own) };
}

/** Seconds of the grace period that a container's preStop hook takes, rounded up; undefined if that depends on its command. */
function hookSeconds(pod: Pod, name: string): number | undefined {
  const { preStop } = findContainer(pod, name)?.lifecycle ?? {};
  if (preStop === undefined) return 0;
  return preStop.sleep && preStop.sleep.seconds + 1;
}

const isSidecarOf = (pod: Pod, name: string) => (pod.spec?.initContainers ?? []).some((each) => each.name === name && isSidecar(each));

/** A container gets the whole grace period to stop, except for its preStop hook. A sidecar gets what the other containers have left. */
const gracePeriods: Invariant = (snapshot) =>
  snapshot.history.stops.flatMap((stop) => {
    const found = stoppedPod(snapshot, stop);
    if (found === undefined || isSidecarOf(found.pod, found.name)) return [];
    const ofHook = hookSeconds(found.pod, found.name);
    if (ofHook === undefined) return [];
    const least = Math.max(minimumGraceSeconds, found.graceSeconds - ofHook);
    if (stop.timeoutSeconds >= least) return [];
    return [`${podUid(found.pod)}/${found.name} was stopped with a grace period of ${stop.timeoutSeconds} s instead of ${least}`];
  });

/** A container with a preStop command is stopped after it, unless it has no grace period. */
const preStopHooks: Invariant = (snapshot) =>
  snapshot.history.stops.flatMap((stop) => {
    const found = stoppedPod(snapshot, stop);
    if (found === undefined || found.graceSeconds === 0 || stop.afterPreStop) return [];
    if (findContainer(found.pod, found.name)?.lifecycle?.preStop?.exec === undefined) return [];
    return [`${podUid(found.pod)}/${found.name} was stopped without its preStop hook`];
  });

/** Time within which a healthy agent stops a container: its worker may be busy with another one, whose grace period is at most 40 s. */
const livenessMs = 60_000;
/** What the worker of a pod waits for. */
const livenessParts: readonly Part[] = ['agent', 'runtime', 'volumes', 'clock'];

/** A container whose liveness command has failed as often as its threshold is probed no further, and is stopped in time. */
const livenessFailures: Invariant = (snapshot, memory) => {
  const { history, nowMs, unblockedMs } = snapshot;
  const running = new Set(snapshot.containers.filter(({ state }) => state === 'running').map(({ id }) => id));
  const before = memory.failingSince;
  memory.failingSince = new Map();
  return [...history.livenessFailures].flatMap(([id, failures]) => {
    const { podUid: uid = '', name = '' } = history.containers.get(id) ?? {};
    const pod = history.pods.get(uid);
    const { failureThreshold = 3 } = (pod && findContainer(pod, name)?.livenessProbe) ?? {};
    if (pod === undefined || failures < failureThreshold || !running.has(id)) return [];
    const sinceMs = before.get(id) ?? nowMs;
    memory.failingSince.set(id, sinceMs);
    const isLate = nowMs - sinceMs > livenessMs && unblockedMs({ parts: livenessParts, uid }, sinceMs) > livenessMs;
    return isLate || failures > failureThreshold + 1 ? [`${uid}/${name} still runs after ${failures} failures of its liveness probe`] : [];
  });
};

/** The status has the start of a container in whole seconds. */
const startPrecisionMs = 1_000;

/**
 * A container with a readiness probe is not reported as ready before the first probe is due. A new agent keeps what the status has, and a jump of
 * the clock makes a probe due.
 */
const readiness: Invariant = (snapshot, memory) => {
  const { history, nowMs } = snapshot;
  const known = new Set<string>();
  for (const { id, state } of snapshot.containers) {
    known.add(id);
    if (state === 'running' && !memory.notBefore.has(id)) memory.notBefore.set(id, memory.previous);
  }
  for (const id of memory.notBefore.keys()) if (!known.has(id)) memory.notBefore.delete(id);
  memory.previous = { atMs: nowMs, era: history.era };
  return history.writes.flatMap(({ atMs, after }) =>
    (after.status?.containerStatuses ?? []).flatMap(({ name, ready, state, containerID }) => {
      const { readinessProbe } = findContainer(after, name) ?? {};
      const start = memory.notBefore.get(runtimeId(containerID));
      if (!ready || !state?.running || readinessProbe === undefined || start?.era !== history.era) return [];
      const afterMs = atMs - start.atMs;
      if (afterMs >= (readinessProbe.initialDelaySeconds ?? 0) * 1000 - startPrecisionMs) return [];
      return [`${after.metadata?.name}/${name} is ready at most ${afterMs} ms after its start, before its first probe`];
    }),
  );
};

/** The generation that a pod's status describes never decreases. */
const observedGenerations: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    const [from = 0, to = 0] = [before?.status?.observedGeneration, after.status?.observedGeneration];
    return to < from && !isMirrorPod(after) ? [`the observed generation of ${after.metadata?.name} fell from ${from} to ${to}`] : [];
  });

/** Longest time between two writes of the lease of a healthy node: its duration, and half of it for a slow start. */
const leaseMs = 60_000;

/** The lease of a healthy node is renewed. */
const lease: Invariant = ({ unblockedMs, history }) => {
  const staleMs = unblockedMs({ parts: ['agent', 'api'] }, history.leaseAtMs);
  return staleMs > leaseMs ? [`the lease of a healthy node was not renewed for ${staleMs} ms`] : [];
};

/** What users observe of the pods and their node, besides the state of containers. */
export const lifecycleInvariants: Readonly<Record<string, Invariant>> = {
  'grace periods': gracePeriods,
  'preStop hooks': preStopHooks,
  'liveness failures': livenessFailures,
  readiness,
  'observed generations': observedGenerations,
  lease,
};
