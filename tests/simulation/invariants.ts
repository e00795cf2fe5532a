import type { ContainerStatus, Pod } from '@nodeagent/api';
import { CpuSet, isMirrorPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { eventLimits } from './event-limits.js';
import { evictionRank } from './eviction-rank.js';
import type { Part, Waiting } from './fault-bounds.js';
import { type History, hadNoContainer, type Removal, type Start } from './history.js';
import { imageRemovals } from './image-removals.js';
import { lateBeginnings } from './late-beginnings.js';
import { lifecycleInvariants } from './lifecycle-invariants.js';
import { readyConditions } from './ready-conditions.js';
import { repeatedCalls } from './repeated-calls.js';
import { requests } from './requests-invariant.js';
import { resizes } from './resizes.js';
import { savedFirst } from './saved-first.js';
import { type Invariant, type Memory, runtimeId, type Snapshot } from './snapshot.js';
import { terminalReasons } from './terminal-reasons.js';
import { terminationOrder } from './termination-order.js';
import { unmounts } from './unmounts.js';

/** Time within which a healthy node completes all work: the longest back-off (5 min), the relist that recovers lost events (5 min with runtime events), and the longest wait for a volume (2 min), one after the other.
 */
export const settleMs = 780_000;

export const newMemory = (): Memory => ({
  started: new Map(),
  backOffs: new Map(),
  untrue: new Map(),
  leftCgroups: new Map(),
  runningAfterEnd: new Map(),
  notBefore: new Map(),
  failingSince: new Map(),
  openedGates: new Set(),
  podsOfAgent: { era: 0, deletedBefore: new Map() },
  previous: { atMs: 0, era: 0 },
  claimedByRejection: new Set(),
});

const running = ({ containers }: Snapshot) => containers.filter(({ state }) => state === 'running');
const of = ({ pod, podUid: uid, name }: Pick<MemoryContainer, 'pod' | 'podUid' | 'name'>) => `${pod}(${uid})/${name}`;
const statusesOf = (pod: Pod | undefined): ContainerStatus[] => [
  ...(pod?.status?.initContainerStatuses ?? []),
  ...(pod?.status?.containerStatuses ?? []),
];

/** No attempt of a container starts twice, and no two instances of a container run at a time. Exception: the agent removes dead containers of an evicted pod immediately. If it stops before it has reported the eviction, the next agent runs the pod again, as a kubelet does.
 */
const startedOnce: Invariant = (snapshot, { started }) => {
  const wrong: string[] = [];
  for (const { id, uid, sandbox, name, attempt } of snapshot.history.starts) {
    const key = [uid, sandbox, name, attempt].join('/');
    const before = started.get(key);
    if (before !== undefined && !snapshot.history.unreportedEvictions.has(uid))
      wrong.push(`attempt ${attempt} of ${uid}/${name} was started twice: ${before.slice(0, 8)}, ${id.slice(0, 8)}`);
    started.set(key, id);
  }
  const now = new Set<string>();
  for (const container of running(snapshot)) {
    if (now.has(of(container))) wrong.push(`${of(container)} has two running instances`);
    now.add(of(container));
  }
  return wrong;
};

/** Restart counts of a pod never decrease. Exceptions, as in a kubelet: those of init containers and sidecars restart with a new sandbox, and a restarted agent knows the counts of a static pod only from the runtime, which has none after the pod's cleanup: it counts the attempts from 0.
 */
const restartCounts: Invariant = (snapshot) => {
  const { history } = snapshot;
  return history.writes.flatMap(({ before, after }) => {
    const was = new Map(statusesOf(before).map(({ name, restartCount }) => [name, restartCount]));
    const inits = new Set(after.spec?.initContainers?.map(({ name }) => name));
    const runsAgain =
      (isMirrorPod(after) && isTerminalPhase(before?.status?.phase)) || history.unreportedEvictions.has(uidAtNode(after, snapshot));
    const mayRestartFrom0 = ({ name, restartCount, containerID }: ContainerStatus) =>
      (inits.has(name) || runsAgain) &&
      (restartCount === 0 || (isMirrorPod(after) && restartCount === history.containers.get(runtimeId(containerID))?.attempt));
    return statusesOf(after)
      .filter((status) => status.restartCount < (was.get(status.name) ?? 0) && !mayRestartFrom0(status))
      .map(
        ({ name, restartCount }) => `the restart count of ${after.metadata?.name}/${name} fell from ${was.get(name)} to ${restartCount}`,
      );
  });
};

/** A final phase stays, and a pod returns to Pending only for its init containers or a container that has never run. */
const phases: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    const [from, to] = [before?.status?.phase, after.status?.phase];
    if (from === to || from === undefined || mayFollow(from, to, after)) return [];
    return [`the phase of ${after.metadata?.name} changed from ${from} to ${to}`];
  });

function mayFollow(from: string, to: string | undefined, pod: Pod): boolean {
  const { spec, status } = pod;
  // A restarted agent has no record of a static pod's termination, and runs it again.
  if (isTerminalPhase(from)) return isMirrorPod(pod);
  if (to !== 'Pending' || from === 'Pending') return true;
  // A pod is Pending while a container that has never terminated waits, as for its image pull.
  const waits = statusesOf({ status } as Pod).some(
    ({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined,
  );
  return waits || (spec?.initContainers ?? []).length > 0;
}

const initialBackOffMs = 10_000;
const longestBackOffMs = 300_000;
const backOffResetMs = 600_000;

/** A container waits 10 s, 20 s, 40 s, ... 5 min for each restart after the first, until it has run for 10 min. */
const backOff: Invariant = ({ history, wallMs }, { backOffs }) => {
  const wrong: string[] = [];
  for (const start of history.starts) {
    // The kubelet's key: image and resources.
    const key = [start.uid, start.name, start.image, start.resources].join('/');
    const entry = backOffs.get(key) ?? { era: undefined, ms: 0, updatedAt: undefined };
    // The first start after a start of the agent or a jump of the clock may have been decided before it; and the runtime's times, which never
    // decrease, are ahead of a clock that jumped back.
    const sure = start.era !== undefined && entry.era === start.era && start.at <= wallMs;
    const ended = endBefore(start, history);
    if (ended === undefined) {
      backOffs.set(key, { ...entry, era: start.era, ...(!sure && { updatedAt: undefined }) });
      continue;
    }
    const counts = sure && entry.updatedAt !== undefined && start.at - entry.updatedAt <= backOffResetMs;
    if (counts && start.at - ended < entry.ms) {
      wrong.push(`${start.uid}/${start.name} was started ${start.at - ended} ms after its termination instead of ${entry.ms}`);
    }
    const ms = counts ? Math.min(2 * entry.ms, longestBackOffMs) : initialBackOffMs;
    backOffs.set(key, { era: start.era, ms, updatedAt: sure ? start.at : undefined });
  }
  return wrong;
};

/** When the previous instance terminated, in milliseconds of the wall clock. */
function endBefore({ uid, name, attempt, id, image }: Start, history: History): number | undefined {
  let newest: MemoryContainer | undefined;
  for (const container of history.runsOf(uid, name)) {
    if (container.id === id || container.attempt >= attempt) continue;
    if (newest === undefined || container.createdAt > newest.createdAt) newest = container;
  }
  // The back-off resets with another image, and does not apply to a container that the agent stopped, as for its probe.
  return newest?.state === 'exited' && newest.image === image && !history.stopped.has(newest.id)
    ? Number(newest.finishedAt / 1_000_000n)
    : undefined;
}

/**
 * Whether the container's start was in flight when an agent stopped its sandbox, and completed after that, as in containerd. The agent, like
 * a kubelet, took the container for one that does not run, and removes what the pod has; its housekeeping stops the container later.
 */
const isLateStart = ({ history }: Snapshot, { id }: MemoryContainer) => history.createdAtStop.has(id);

/** Running containers have their volumes, except for late starts. */
const mountsOfRunning: Invariant = (snapshot) => {
  const mounts = new Set(snapshot.mounts);
  const specs = new Map([...snapshot.pods, ...snapshot.statics].map((pod) => [podUid(pod), pod]));
  const onTime = running(snapshot).filter((container) => !isLateStart(snapshot, container));
  return onTime.flatMap((container) =>
    (specs.get(container.podUid)?.spec?.volumes ?? [])
      .filter(({ name }) => !mounts.has(`${container.podUid}/${name}`))
      .map(({ name }) => `${of(container)} runs without its volume ${name}`),
  );
};

/** How long an eviction waits for the previous pod. */
const evictionWaitMs = 30_000;

/** At most one pod is evicted at a time: the next one after the previous has terminated, or after 30 s. */
const evictions: Invariant = ({ history }) =>
  history.evictions
    .filter(({ atMs, previous }) => previous?.running && atMs - previous.atMs < evictionWaitMs)
    .map(({ uid, atMs, previous }) => `${uid} was evicted ${atMs - (previous?.atMs ?? 0)} ms after ${previous?.uid}, which still ran`);

/** Timers, pulls and known pods are bounded by the number of pods, however long faults last. */
const bounded: Invariant = (snapshot) => {
  const { timers, pulls, known, pods, statics, containers, sandboxes, nowMs } = snapshot;
  const count = pods.length + statics.length + new Set(sandboxes.map(({ podUid: uid }) => uid)).size;
  const knownAtLeast = 10 + 2 * count;
  const limits = {
    timers: [timers, 200 + 20 * count + 3 * containers.length],
    pulls: [pulls, 5 * count],
    // Only a long outage leaves more removed pods: all removals of a run are too many to visit at each step.
    pods: [known, known > knownAtLeast ? knownAtLeast + pendingRemovals(snapshot) : knownAtLeast],
  } as const;
  return Object.entries(limits)
    .filter(([, [is, limit]]) => is > limit)
    .map(([what, [is, limit]]) => `${is} ${what} for ${count} pods at ${nowMs} ms, more than ${limit}`);
};

/** The number of deleted pods that may still exist. */
function pendingRemovals(snapshot: Snapshot): number {
  let count = 0;
  for (const [uid, removal] of snapshot.history.removals) if (isPending(snapshot, uid, removal)) count++;
  return count;
}

/** Whether the removal time of a deleted pod has not expired. */
const isPending = (snapshot: Snapshot, uid: string, { atMs, graceMs }: Removal) =>
  !hasExpired(snapshot, { parts: removalParts, uid }, atMs + graceMs, removalMs);

/** Whether the agent has had this time, in which no fault blocked what waits. */
const hasExpired = ({ nowMs, unblockedMs }: Snapshot, waiting: Waiting, sinceMs: number, limitMs: number) =>
  nowMs - sinceMs > limitMs && unblockedMs(waiting, sinceMs) > limitMs;

/** Which pods may have containers, mounts and the like: pods that are not deleted, or whose removal time has not expired. */
function mayExist(snapshot: Snapshot): (uid: string) => boolean {
  const { history, pods, statics } = snapshot;
  const wanted = new Set([...pods.filter((pod) => !isMirrorPod(pod)), ...statics].map(podUid));
  return (uid) => {
    const removal = history.removals.get(uid);
    return removal === undefined ? wanted.has(uid) : isPending(snapshot, uid, removal);
  };
}

/** What the removal of a pod waits for. */
const removalParts: readonly Part[] = ['agent', 'runtime', 'runtime events', 'api', 'volumes', 'devices', 'clock'];
/** Time for the removal of a pod after its grace period, without faults that block it: container garbage collection runs every minute. */
const removalMs = 120_000;

/** No container, sandbox, mount, folder, cgroup or API object remains after a pod's grace period. */
const noLeftovers: Invariant = (snapshot) => {
  const may = mayExist(snapshot);
  return [
    ...snapshot.containers.filter(({ podUid: uid }) => !may(uid)).map((each) => `${of(each)} is ${each.state}, though its pod is removed`),
    ...snapshot.sandboxes
      .filter(({ podUid: uid }) => !may(uid))
      .map(({ pod, podUid: uid }) => `a sandbox of ${pod}(${uid}) is left, though its pod is removed`),
    ...snapshot.mounts.filter((mount) => !may(mount.split('/')[0] ?? '')).map((mount) => `${mount} is mounted, though its pod is removed`),
    ...snapshot.dirs.filter((uid) => !may(uid)).map((uid) => `the folder of ${uid} is left, though the pod is removed`),
    ...snapshot.cgroups.filter((uid) => !may(uid)).map((uid) => `the cgroup of ${uid} is left, though the pod is removed`),
    ...snapshot.pods
      .filter((pod) => !isMirrorPod(pod) && !may(podUid(pod)))
      .map(({ metadata }) => `${metadata?.name} is still at the API server`),
  ];
};

/** No container of a terminated pod runs. */
const terminatedPodsStayStopped: Invariant = (snapshot, memory) => {
  const ended = new Set(snapshot.pods.filter(({ status }) => isTerminalPhase(status?.phase)).map(podUid));
  const wrong = running(snapshot).filter(({ podUid: uid }) => ended.has(uid));
  const before = memory.runningAfterEnd;
  memory.runningAfterEnd = new Map(wrong.map(({ id }) => [id, before.get(id) ?? snapshot.nowMs]));
  return wrong
    .filter(({ id, podUid: uid }) =>
      hasExpired(snapshot, { parts: removalParts, uid }, memory.runningAfterEnd.get(id) ?? snapshot.nowMs, removalMs),
    )
    .map((container) => `${of(container)} runs, though its pod has terminated`);
};

/** The pod of each running container has a cgroup. A late start is in none in memory; a real runtime creates the pod's cgroup again. */
const cgroupsOfRunning: Invariant = (snapshot) => {
  const existing = new Set(snapshot.cgroups);
  return running(snapshot)
    .filter((container) => !existing.has(container.podUid) && !isLateStart(snapshot, container))
    .map((container) => `${of(container)} runs, though its pod has no cgroup`);
};

/** The cgroup of a terminated pod is removed. */
const cgroupsOfTerminated: Invariant = (snapshot, memory) => {
  const { nowMs, pods, cgroups } = snapshot;
  const ended = new Set(pods.filter(({ status }) => isTerminalPhase(status?.phase)).map(podUid));
  const left = cgroups.filter((uid) => ended.has(uid));
  memory.leftCgroups = new Map(left.map((uid) => [uid, memory.leftCgroups.get(uid) ?? nowMs]));
  return [...memory.leftCgroups]
    .filter(([uid, sinceMs]) => hasExpired(snapshot, { parts: removalParts, uid }, sinceMs, removalMs))
    .map(([uid]) => `the cgroup of ${uid} is left, though the pod has terminated`);
};

/** What a status waits for on its way to the API server. */
const reportParts: readonly Part[] = ['agent', 'runtime', 'runtime events', 'api', 'volumes', 'clock'];
/** Time within which a status reaches the API server, without faults that block it. Preemption waits for the grace period of each victim, 40 s, as in a kubelet. */
const reportMs = 90_000;

/** The container statuses at the API server match the runtime. */
const reportedStatus: Invariant = (snapshot, memory) => {
  const { nowMs } = snapshot;
  const wrong = wrongStatuses(snapshot);
  const before = memory.untrue;
  memory.untrue = new Map(wrong.map(({ what }) => [what, before.get(what) ?? nowMs]));
  return wrong
    .filter(({ uid, what }) => hasExpired(snapshot, { parts: reportParts, uid }, memory.untrue.get(what) ?? nowMs, reportMs))
    .map(({ what }) => what);
};

/** What a pod's status reports wrongly, by the pod's UID at the node. */
function wrongStatuses(snapshot: Snapshot): { uid: string; what: string }[] {
  const byId = new Map(snapshot.containers.map((container) => [container.id, container]));
  const runs = running(snapshot);
  return snapshot.pods
    .filter(({ metadata, status }) => metadata?.deletionTimestamp === undefined && !isTerminalPhase(status?.phase))
    .flatMap((pod) => {
      const reported = new Map(statusesOf(pod).map((status) => [status.name, status]));
      const ended = [...reported.values()]
        .map(({ name, state, containerID }) => ({ name, state, real: byId.get(runtimeId(containerID)) }))
        .filter(({ state, real }) => state?.running && real?.state !== 'running')
        .map(({ name, real }) => `${pod.metadata?.name}/${name} runs for the API server, but is ${real?.state ?? 'removed'}`);
      const uid = uidAtNode(pod, snapshot);
      const unreported = runs
        .filter((real) => real.podUid === uid)
        .map((real) => ({ real, status: reported.get(real.name) }))
        .filter(({ real, status }) => status?.state?.running === undefined || !status.containerID?.endsWith(real.id))
        .map(({ real, status }) => `${of(real)} runs, but for the API server it is ${JSON.stringify(status?.state)}`);
      return [...ended, ...unreported].map((what) => ({ uid, what }));
    });
}

/** Mirror pods have other UIDs than their static pods. */
function uidAtNode(pod: Pod, { statics }: Snapshot): string {
  if (!isMirrorPod(pod)) return podUid(pod);
  const of = statics.find(({ metadata }) => metadata?.name === pod.metadata?.name);
  return of ? podUid(of) : '';
}

/** No CPU belongs to two running containers that have exclusive CPUs, which have no quota. */
const exclusiveCpus: Invariant = (snapshot) => {
  const owners = new Map<number, string>();
  return running(snapshot)
    .filter(({ resources }) => resources?.cpuQuota === -1n)
    .flatMap((container) =>
      CpuSet.parse(container.resources?.cpusetCpus ?? '')
        .list()
        .flatMap((cpu) => {
          const owner = owners.get(cpu);
          owners.set(cpu, of(container));
          return owner === undefined ? [] : [`CPU ${cpu} belongs to ${owner} and to ${of(container)}`];
        }),
    );
};

/** No device belongs to two running containers. */
const exclusiveDevices: Invariant = (snapshot) => {
  const owners = new Map<string, string>();
  return running(snapshot).flatMap((container) =>
    (container.config.devices ?? []).flatMap(({ hostPath = '' }) => {
      const owner = owners.get(hostPath);
      owners.set(hostPath, of(container));
      return owner === undefined ? [] : [`${hostPath} belongs to ${owner} and to ${of(container)}`];
    }),
  );
};

/** Checked after each step. */
export const invariants: Readonly<Record<string, Invariant>> = {
  'started once': startedOnce,
  'restart counts': restartCounts,
  phases,
  'back-off': backOff,
  'mounts of running containers': mountsOfRunning,
  evictions,
  bounded,
  'no leftovers': noLeftovers,
  'terminated pods stay stopped': terminatedPodsStayStopped,
  'cgroups of running containers': cgroupsOfRunning,
  'cgroups of terminated pods': cgroupsOfTerminated,
  'reported status': reportedStatus,
  resizes,
  'exclusive CPUs': exclusiveCpus,
  'exclusive devices': exclusiveDevices,
  ...lifecycleInvariants,
  requests,
  'eviction rank': evictionRank,
  'termination order': terminationOrder,
  'terminal reasons': terminalReasons,
  'ready conditions': readyConditions,
  unmounts,
  'event limits': eventLimits,
  'images in use': imageRemovals,
  'saved first': savedFirst,
  'late beginnings': lateBeginnings,
  'repeated calls': repeatedCalls,
};

/**
 * Without faults and exits, every pod that was not rejected and has not terminated finally runs all its containers. As in a kubelet, a static pod
 * that is evicted or preempted before its first start has terminated without a status.
 */
export const desiredPodsRun: Invariant = (snapshot) => {
  const runs = new Set(running(snapshot).map(({ podUid: uid, name }) => `${uid}/${name}`));
  const ended = new Set(snapshot.pods.filter(({ status }) => isTerminalPhase(status?.phase)).map((pod) => uidAtNode(pod, snapshot)));
  const { history } = snapshot;
  const hasEnded = (uid: string) => history.evictedByAgent.has(uid) && hadNoContainer(history, uid);
  const statics = snapshot.statics.filter((pod) => !hasEnded(podUid(pod)));
  return [...snapshot.pods.filter((pod) => !isMirrorPod(pod)), ...statics]
    .filter(
      (pod) =>
        !ended.has(podUid(pod)) &&
        !snapshot.endedStatics.has(podUid(pod)) &&
        pod.metadata?.deletionTimestamp === undefined &&
        pod.spec?.restartPolicy === 'Always',
    )
    .flatMap((pod) =>
      (pod.spec?.containers ?? [])
        .filter(({ name }) => !runs.has(`${podUid(pod)}/${name}`))
        .map(({ name }) => `${pod.metadata?.name}/${name} does not run`),
    );
};

/** After the deletion of all pods everything is removed. */
export const allRemoved: Invariant = ({ containers, sandboxes, mounts, dirs, cgroups, pods, known }) =>
  Object.entries({ containers, sandboxes, mounts, dirs, cgroups, pods, known: { length: known } })
    .filter(([, { length }]) => length > 0)
    .map(([what, { length }]) => `${length} ${what} remain at the end`);
