import { type ContainerStatus, isMirrorPod, isTerminalPhase, type Pod, podUid } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import type { History, Start } from './history.js';
import { resizes } from './resizes.js';
import type { Invariant, Memory, Snapshot } from './snapshot.js';

/**
 * Time within which a node in order does what it has to do: the longest back-off (5 min), the lists that make up for lost events (5 min
 * where events are followed), and the longest wait for a volume (2 min) may follow on each other.
 */
export const settleMs = 780_000;

export const newMemory = (): Memory => ({ started: new Map(), backOffs: new Map(), untrue: new Map() });

const running = ({ containers }: Snapshot) => containers.filter(({ state }) => state === 'running');
const of = ({ pod, podUid: uid, name }: Pick<MemoryContainer, 'pod' | 'podUid' | 'name'>) => `${pod}(${uid})/${name}`;
const statusesOf = (pod: Pod | undefined): ContainerStatus[] => [
  ...(pod?.status?.initContainerStatuses ?? []),
  ...(pod?.status?.containerStatuses ?? []),
];

/**
 * No container starts twice for one attempt, nor runs beside another run of itself. What is dead of a pod that is being evicted goes at
 * once: when its agent ends before it has told of that, the next one runs the pod anew, as a kubelet does.
 */
const startedOnce: Invariant = (snapshot, { started }) => {
  const wrong: string[] = [];
  for (const { id, uid, sandbox, name, attempt } of snapshot.history.starts) {
    const key = [uid, sandbox, name, attempt].join('/');
    const before = started.get(key);
    if (before !== undefined && !snapshot.history.forgotten.has(uid))
      wrong.push(`attempt ${attempt} of ${uid}/${name} was started twice: ${before.slice(0, 8)}, ${id.slice(0, 8)}`);
    started.set(key, id);
  }
  const now = new Set<string>();
  for (const container of running(snapshot)) {
    if (now.has(of(container))) wrong.push(`${of(container)} runs twice at once`);
    now.add(of(container));
  }
  return wrong;
};

/**
 * Restart counts of a pod never fall, but that those of init containers and sidecars begin anew with a new sandbox, as a kubelet's do. Of
 * a static pod a new agent knows only what the runtime has, which is what began anew; nothing, where it had ended and was cleared away.
 */
const restartCounts: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    const was = new Map(statusesOf(before).map(({ name, restartCount }) => [name, restartCount]));
    const inits = new Set(after.spec?.initContainers?.map(({ name }) => name));
    const runsAgain = (isMirrorPod(after) && isTerminalPhase(before?.status?.phase)) || history.forgotten.has(podUid(after));
    const beganAnew = ({ name, restartCount, containerID = '' }: ContainerStatus) =>
      (restartCount === 0 && (inits.has(name) || runsAgain)) ||
      (inits.has(name) &&
        isMirrorPod(after) &&
        restartCount === history.containers.get(containerID.slice(containerID.lastIndexOf('/') + 1))?.attempt);
    return statusesOf(after)
      .filter((status) => status.restartCount < (was.get(status.name) ?? 0) && !beganAnew(status))
      .map(
        ({ name, restartCount }) => `the restart count of ${after.metadata?.name}/${name} fell from ${was.get(name)} to ${restartCount}`,
      );
  });

/** A phase that is final stays, and none goes back to Pending but by a new run of the pod's init containers, or without a container's status. */
const phases: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    const [from, to] = [before?.status?.phase, after.status?.phase];
    if (from === to || from === undefined || mayFollow(from, to, after)) return [];
    return [`the phase of ${after.metadata?.name} went from ${from} to ${to}`];
  });

function mayFollow(from: string, to: string | undefined, pod: Pod): boolean {
  const { spec, status } = pod;
  // A new agent knows of a static pod's end no more, and runs it again.
  if (isTerminalPhase(from)) return isMirrorPod(pod);
  if (to !== 'Pending' || from === 'Pending') return true;
  // A pod is Pending while a container of it that has never ended waits for its start, as at a pull.
  const waits = statusesOf({ status } as Pod).some(
    ({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined,
  );
  return waits || (spec?.initContainers ?? []).length > 0;
}

const initialBackOffMs = 10_000;
const longestBackOffMs = 300_000;
const backOffResetMs = 600_000;

/** A container that ended waits 10 s, 20 s, 40 s, ... 5 min for its next start but the first, until it ran for 10 min. */
const backOff: Invariant = ({ history, wallMs }, { backOffs }) => {
  const wrong: string[] = [];
  for (const start of history.starts) {
    // As a kubelet's key: what it runs and may use.
    const key = [start.uid, start.name, start.image, start.resources].join('/');
    const entry = backOffs.get(key) ?? { era: undefined, ms: 0, updatedAt: undefined };
    // The first start in an agent's life, or after a jump of the clock, may have been decided before; and a runtime whose times never
    // fall is ahead of a clock that was put back.
    const sure = start.era !== undefined && entry.era === start.era && start.at <= wallMs;
    const ended = endBefore(start, history);
    if (ended === undefined) {
      backOffs.set(key, { ...entry, era: start.era, ...(!sure && { updatedAt: undefined }) });
      continue;
    }
    const counts = sure && entry.updatedAt !== undefined && start.at - entry.updatedAt <= backOffResetMs;
    if (counts && start.at - ended < entry.ms) {
      wrong.push(`${start.uid}/${start.name} was started ${start.at - ended} ms after its end instead of ${entry.ms}`);
    }
    const ms = counts ? Math.min(2 * entry.ms, longestBackOffMs) : initialBackOffMs;
    backOffs.set(key, { era: start.era, ms, updatedAt: sure ? start.at : undefined });
  }
  return wrong;
};

/** When the run before this one ended, in milliseconds of the wall clock. */
function endBefore({ uid, name, attempt, id, image }: Start, history: History): number | undefined {
  let newest: MemoryContainer | undefined;
  for (const container of history.runsOf(uid, name)) {
    if (container.id === id || container.attempt >= attempt) continue;
    if (newest === undefined || container.createdAt > newest.createdAt) newest = container;
  }
  // With another image it starts over; and what the agent has stopped, as for its probe, it starts again in the same breath.
  return newest?.state === 'exited' && newest.image === image && !history.stopped.has(newest.id)
    ? Number(newest.finishedAt / 1_000_000n)
    : undefined;
}

/** What runs has its volumes. */
const mountsOfRunning: Invariant = (snapshot) => {
  const mounts = new Set(snapshot.mounts);
  const specs = new Map([...snapshot.pods, ...snapshot.statics].map((pod) => [podUid(pod), pod]));
  return running(snapshot).flatMap((container) =>
    (specs.get(container.podUid)?.spec?.volumes ?? [])
      .filter(({ name }) => !mounts.has(`${container.podUid}/${name}`))
      .map(({ name }) => `${of(container)} runs without its volume ${name}`),
  );
};

/** How long an eviction waits for the pod before. */
const evictionWaitMs = 30_000;

/** At most one pod is evicted at a time: the next one goes when the one before has ended, or has not within 30 s. */
const evictions: Invariant = ({ history }) =>
  history.evictions
    .filter(({ atMs, previous }) => previous?.running && atMs - previous.atMs < evictionWaitMs)
    .map(({ uid, atMs, previous }) => `${uid} was evicted ${atMs - (previous?.atMs ?? 0)} ms after ${previous?.uid}, which still ran`);

/** What waits is bounded by the number of pods, however long things go wrong. */
const bounded: Invariant = (snapshot) => {
  const { timers, pulls, known, pods, statics, containers, sandboxes, nowMs } = snapshot;
  const count = pods.length + statics.length + new Set(sandboxes.map(({ podUid: uid }) => uid)).size;
  const limits = {
    timers: [timers, 200 + 20 * count + 3 * containers.length],
    pulls: [pulls, 5 * count],
    pods: [known, 10 + 2 * count + mayStillLeave(snapshot)],
  } as const;
  return Object.entries(limits)
    .filter(([, [is, limit]]) => is > limit)
    .map(([what, [is, limit]]) => `${is} ${what} for ${count} pods at ${nowMs} ms, more than ${limit}`);
};

/** How many of those that were asked to go may not have gone yet. */
function mayStillLeave({ nowMs, quietMs, history: { leaving } }: Snapshot): number {
  if (quietMs <= leaveMs) return leaving.size;
  let count = 0;
  for (const { atMs, graceMs } of leaving.values()) if (nowMs - atMs - graceMs <= leaveMs) count++;
  return count;
}

/** Whoever may have containers and the like: a pod that was not asked to go, or whose time to go is not over. */
function mayHave({ nowMs, quietMs, history, pods, statics }: Snapshot): (uid: string) => boolean {
  const wanted = new Set([...pods.filter((pod) => !isMirrorPod(pod)), ...statics].map(podUid));
  return (uid) => {
    const leaving = history.leaving.get(uid);
    const sinceMs = leaving === undefined ? Number.POSITIVE_INFINITY : nowMs - leaving.atMs - leaving.graceMs;
    if (wanted.has(uid) && leaving === undefined) return true;
    return Math.min(quietMs, sinceMs) <= leaveMs;
  };
}

/** Within this nothing is left of a pod whose grace period is over: lost events are made up for within 5 min. */
const leaveMs = 420_000;

/** Nothing runs, exists or is mounted that nobody wants after the grace period. */
const nothingUnwanted: Invariant = (snapshot) => {
  const may = mayHave(snapshot);
  return [
    ...snapshot.containers.filter(({ podUid: uid }) => !may(uid)).map((each) => `${of(each)} is ${each.state}, though its pod is gone`),
    ...snapshot.sandboxes
      .filter(({ podUid: uid }) => !may(uid))
      .map(({ pod, podUid: uid }) => `a sandbox of ${pod}(${uid}) is left, though its pod is gone`),
    ...snapshot.mounts.filter((mount) => !may(mount.split('/')[0] ?? '')).map((mount) => `${mount} is mounted, though its pod is gone`),
    ...snapshot.dirs.filter((uid) => !may(uid)).map((uid) => `the folder of ${uid} is left, though the pod is gone`),
    ...snapshot.pods
      .filter((pod) => !isMirrorPod(pod) && !may(podUid(pod)))
      .map(({ metadata }) => `${metadata?.name} is still at the API server`),
  ];
};

/** A pod that has ended runs nothing. */
const endedPodsRest: Invariant = (snapshot) => {
  if (snapshot.quietMs < leaveMs) return [];
  const ended = new Set(snapshot.pods.filter(({ status }) => isTerminalPhase(status?.phase)).map(podUid));
  return running(snapshot)
    .filter(({ podUid: uid }) => ended.has(uid))
    .map((container) => `${of(container)} runs, though its pod has ended`);
};

/** How long a status may take to the API server. */
const reportMs = 420_000;

/** What the API server says of containers is soon what the runtime knows. */
const truth: Invariant = (snapshot, memory) => {
  const { nowMs, quietMs } = snapshot;
  memory.untrue = new Map(untruths(snapshot).map((what) => [what, memory.untrue.get(what) ?? nowMs]));
  return [...memory.untrue].filter(([, since]) => Math.min(nowMs - since, quietMs) >= reportMs).map(([what]) => what);
};

function untruths(snapshot: Snapshot): string[] {
  const byId = new Map(snapshot.containers.map((container) => [container.id, container]));
  const runs = running(snapshot);
  return snapshot.pods
    .filter(({ metadata, status }) => metadata?.deletionTimestamp === undefined && !isTerminalPhase(status?.phase))
    .flatMap((pod) => {
      const said = new Map(statusesOf(pod).map((status) => [status.name, status]));
      const ended = [...said.values()]
        .map(({ name, state, containerID }) => ({ name, state, real: byId.get((containerID ?? '').replace(/^.*:\/\//, '')) }))
        .filter(({ state, real }) => state?.running && real?.state !== 'running')
        .map(({ name, real }) => `${pod.metadata?.name}/${name} runs for the API server, but is ${real?.state ?? 'gone'}`);
      const uid = uidAtNode(pod, snapshot);
      const unsaid = runs
        .filter((real) => real.podUid === uid)
        .map((real) => ({ real, status: said.get(real.name) }))
        .filter(({ real, status }) => status?.state?.running === undefined || !status.containerID?.endsWith(real.id))
        .map(({ real, status }) => `${of(real)} runs, but for the API server it is ${JSON.stringify(status?.state)}`);
      return [...ended, ...unsaid];
    });
}

/** Mirrors stand for static pods of other UIDs. */
function uidAtNode(pod: Pod, { statics }: Snapshot): string {
  if (!isMirrorPod(pod)) return podUid(pod);
  const of = statics.find(({ metadata }) => metadata?.name === pod.metadata?.name);
  return of ? podUid(of) : '';
}

/** Checked after each step. */
export const invariants: Readonly<Record<string, Invariant>> = {
  'started once': startedOnce,
  'restart counts': restartCounts,
  phases,
  'back-off': backOff,
  'mounts of what runs': mountsOfRunning,
  evictions,
  bounded,
  'nothing unwanted': nothingUnwanted,
  'ended pods rest': endedPodsRest,
  truth,
  resizes,
};

/** In a calm in which nothing ends by itself, in the end every pod that has not ended runs all its containers. */
export const wantedRuns: Invariant = (snapshot) => {
  const runs = new Set(running(snapshot).map(({ podUid: uid, name }) => `${uid}/${name}`));
  const ended = new Set(snapshot.pods.filter(({ status }) => isTerminalPhase(status?.phase)).map((pod) => uidAtNode(pod, snapshot)));
  return [...snapshot.pods.filter((pod) => !isMirrorPod(pod)), ...snapshot.statics]
    .filter((pod) => !ended.has(podUid(pod)) && pod.metadata?.deletionTimestamp === undefined && pod.spec?.restartPolicy === 'Always')
    .flatMap((pod) =>
      (pod.spec?.containers ?? [])
        .filter(({ name }) => !runs.has(`${podUid(pod)}/${name}`))
        .map(({ name }) => `${pod.metadata?.name}/${name} does not run`),
    );
};

/** After all pods were taken away nothing is left. */
export const nothingLeft: Invariant = ({ containers, sandboxes, mounts, dirs, pods, known }) =>
  Object.entries({ containers, sandboxes, mounts, dirs, pods, known: { length: known } })
    .filter(([, { length }]) => length > 0)
    .map(([what, { length }]) => `${length} ${what} are left at the end`);
