import type { PortCall } from './port-calls.js';

/** A reason to repeat a failed call. */
export interface Repetition {
  /** Who repeats it, and where the period is defined. */
  by: string;
  /** Milliseconds until the first repetition. */
  periodMs: number;
  /** Upper bound of a period that doubles with each repetition. Default: it does not grow. */
  maxPeriodMs?: number;
  /** Attempts each time. Default 1. */
  attempts?: number;
  /** Attempts without a pause beside those. Default 0. */
  burst?: number;
}

/** The kubelet's periods. Each is a documented default of 1.36, or a constant that its documentation states. */
const sync: Repetition = { by: 'failed sync of the pod: 10 s, with jitter, and ten retries at events', periodMs: 10_000, burst: 10 };
const relist: Repetition = { by: 'PLEG: relist each second', periodMs: 1_000 };
const housekeeping: Repetition = { by: 'housekeeping: 2 s', periodMs: 2_000 };
const containerGC: Repetition = { by: 'container garbage collection: 1 min', periodMs: 60_000 };
const imageGC: Repetition = { by: 'image garbage collection: 5 min', periodMs: 300_000 };
const eviction: Repetition = { by: 'eviction manager: 10 s', periodMs: 10_000 };
const runtimeStatus: Repetition = { by: 'runtime status: 5 s', periodMs: 5_000 };
const imageCheck: Repetition = { ...sync, by: 'failed sync of the pod, before and after a pull', attempts: 3 };
const imagePull: Repetition = { by: 'back-off of image pulls: 10 s to 5 min', periodMs: 10_000, maxPeriodMs: 300_000 };
const probe: Repetition = { by: 'probe: its periodSeconds, at least 1 s', periodMs: 1_000 };
const volume: Repetition = { by: 'volume operations: 500 ms to 2 min 2 s', periodMs: 500, maxPeriodMs: 122_000 };
const volumeScan: Repetition = { by: 'volume manager: precondition checked each 500 ms', periodMs: 500 };
const podStatus: Repetition = { by: 'status manager: 10 s', periodMs: 10_000 };
/** The burst: a change of the volumes in use updates the status at once. */
const nodeStatus: Repetition = { by: 'node status: 10 s, five attempts each', periodMs: 10_000, attempts: 5, burst: 5 };
const firstReady: Repetition = {
  by: 'node status after a start: each 100 ms until the node is ready, for two minutes',
  periodMs: 10_000,
  burst: 2 * 1_200,
};
const register: Repetition = { by: 'registration of the node: 100 ms to 7 s', periodMs: 100, maxPeriodMs: 7_000 };
const lease: Repetition = {
  by: 'lease: 10 s, five attempts with the last lease and five with the one read',
  periodMs: 10_000,
  attempts: 10,
};
const newLease: Repetition = { by: 'creation of the lease: 200 ms to 7 s', periodMs: 200, maxPeriodMs: 7_000 };
const reflector: Repetition = { by: 'list and watch: 800 ms to 30 s', periodMs: 800, maxPeriodMs: 30_000 };
const events: Repetition = { by: 'events: 12 attempts, 10 s apart; 25 events about an object', periodMs: 10_000, burst: 25 };
const stream: Repetition = { by: 'container events: 1 s, after five failures 10 s to 5 min', periodMs: 1_000, maxPeriodMs: 300_000 };

/** Which of them repeat a call; the first pattern that matches its name. */
const repetitions: readonly (readonly [RegExp, readonly Repetition[]])[] = [
  [/^cri (version|status|runtimeConfig)$/, [runtimeStatus, nodeStatus, firstReady]],
  [/^cri (listPodSandbox|listContainers|podSandboxStatus|containerStatus)$/, [relist, housekeeping, sync, containerGC]],
  [/^cri (stopPodSandbox|removePodSandbox|stopContainer|removeContainer)$/, [sync, containerGC]],
  [/^cri execSync$/, [probe]],
  [/^cri (listImages|imageFsInfo)$/, [imageGC, eviction, nodeStatus, firstReady]],
  [/^cri removeImage$/, [imageGC, eviction]],
  [/^cri imageStatus$/, [imageCheck]],
  [/^cri pullImage$/, [imagePull]],
  [/^cri getContainerEvents$/, [stream]],
  [/^cri /, [sync]],
  [/^api (list|watch) /, [reflector]],
  [/^api \w+ leases$/, [lease, newLease]],
  [/^api \w+ nodes\/status$/, [nodeStatus]],
  [/^api \w+ nodes$/, [nodeStatus, register]],
  [/^api (create|patch) events$/, [events]],
  [/^api \w+ (configmaps|secrets|persistentvolumeclaims|persistentvolumes|serviceaccounts\/token)$/, [volume, sync]],
  [/^api \w+ pods(\/status)?$/, [podStatus, sync]],
  [/^api /, [sync]],
  [/^volume waitForAttach$/, [volume, volumeScan]],
  [/^volume /, [volume]],
  [/^device allocate$/, [sync]],
  [/^device /, [sync]],
];

/** Reasons to repeat the failed call. */
export function repetitionsOf({ name }: Pick<PortCall, 'name'>): readonly Repetition[] {
  return repetitions.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}

/** What repeats a call, as a bucket of tokens: it holds `burst` tokens and gets one each `periodMs`. */
export interface CallBound {
  burst: number;
  periodMs: number;
}

/** Causes of a repetition beside the periods: the pod was created, changed or deleted, or one of its containers changed its state. */
const changes = 4;

/** The API client repeats a read three times if its connection was lost. */
const attemptsOfRead = 4;

/** The bound of all reasons together. A period that doubles allows its short periods once. */
export function boundOf(call: Pick<PortCall, 'name'>): CallBound {
  const requests = /^api (get|list) /.test(call.name) ? attemptsOfRead : 1;
  let burst = changes;
  let perMs = 0;
  for (const { periodMs, maxPeriodMs = periodMs, attempts = 1, burst: more = 0 } of repetitionsOf(call)) {
    burst += more + attempts * (1 + Math.ceil(Math.log2(maxPeriodMs / periodMs)));
    perMs += attempts / maxPeriodMs;
  }
  return { burst: requests * burst, periodMs: 1 / (requests * perMs) };
}

/** Of any call of one object, failed or not: as often as PLEG and the sync loop run, with room for the changes of a busy minute. */
export function anyCallBoundOf(call: Pick<PortCall, 'name'>): CallBound {
  return { burst: 240 + boundOf(call).burst, periodMs: 250 };
}
