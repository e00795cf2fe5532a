import {
  apiStatusOf,
  type Clock,
  checkOptionNames,
  createBackoff,
  type Informer,
  isApiReason,
  isMirrorPodOf,
  isStaticPod,
  isTerminalPhase,
  type Logger,
  type Metrics,
  noMetrics,
  type ObjectChange,
  type ObjectDeleter,
  type ObjectGetter,
  type ObjectPatcher,
  type OptionNames,
  objectKey,
  type Pod,
  podKey,
  podUid,
  type Random,
  requirePositive,
  type StatusSink,
  type StatusVersions,
  silentLogger,
  systemClock,
  systemRandom,
  type Timer,
  type VersionedPodStatus,
} from '@nodeagent/api';
import { needsReconcile } from '../compare/sync-decisions.js';
import type { PodLookup } from '../manager/ports.js';
import { nextStatusRequest, type PodStatusRequest } from './next-request.js';
import { createRequestGate } from './request-gate.js';

/** Ports and settings of {@link createApiStatusSink}. */
export interface ApiStatusSinkOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now' | 'monotonic' | 'setTimeout'>;
  /** Default: `systemRandom`. */
  random?: Random;
  pods: ObjectGetter<Pod> & ObjectPatcher<Pod> & ObjectDeleter;
  /** The node's pods in the API server, including mirror pods. The sink does not start the informer. */
  informer: Pick<Informer<Pod>, 'get' | 'onChange'>;
  lookup: Pick<PodLookup, 'podByUid' | 'translatePodUid'>;
  /** Whether containers of the pod may still run or resources are still held; from the pod workers. */
  couldHaveRunningContainers(uid: string): boolean;
  /** Default 50, a kubelet's `kubeAPIQPS`. */
  requestsPerSecond?: number;
  logger?: Logger;
  /** `kubelet_pod_status_sync_duration_seconds`. */
  metrics?: Metrics;
}

const optionNames: OptionNames<ApiStatusSinkOptions> = {
  clock: true,
  random: true,
  pods: true,
  informer: true,
  lookup: true,
  couldHaveRunningContainers: true,
  requestsPerSecond: true,
  logger: true,
  metrics: true,
};

/** Delay of a new status, which collects further changes, such as those at a pod's termination. */
const gatherMs = 10;
/** Delay of a pod's first status, which is written before a sandbox exists, as in the kubelet. */
const firstGatherMs = 1;
/** Delay before a status that another client changed is written again. */
const reconcileMs = 10_000;

/** A pod in the API server with the status to write. */
interface Target {
  apiPod: Pod;
  entry: VersionedPodStatus;
}

/** A patch or deletion of the pod, or a read of it if a patch got no answer. */
type Request = NonNullable<PodStatusRequest> | { verb: 'read' };

/**
 * Writes statuses to the API server: a patch with the changed fields of each pod's newest status, and the final deletion when the pod has
 * terminated and its resources are released. It compares with the informer's copy, or with the response to its last patch if that is newer,
 * so it reads a pod only after a patch that got no answer: differences from an outdated copy would mix two statuses. While the API server is
 * unavailable it sends single attempts, then catches up at `requestsPerSecond`. After a refusal for one pod it retries after 10 s, doubled after
 * each further refusal, up to 1 min, with jitter.
 */
export function createApiStatusSink(options: ApiStatusSinkOptions): StatusSink {
  checkOptionNames('createApiStatusSink', options, optionNames);
  const {
    clock = systemClock,
    random = systemRandom,
    pods,
    informer,
    lookup,
    couldHaveRunningContainers,
    requestsPerSecond = 50,
  } = options;
  const { logger = silentLogger, metrics = noMetrics } = options;
  requirePositive('requestsPerSecond', requestsPerSecond);
  const syncDuration = metrics.histogram({
    name: 'kubelet_pod_status_sync_duration_seconds',
    help: 'Duration in seconds to sync a pod status update, from the first status that was not yet written to the answer.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  let run: ReturnType<typeof startRun> | undefined;

  function startRun(statuses: StatusVersions) {
    const ended = new AbortController();
    const gate = createRequestGate({ clock, random, requestsPerSecond });
    const refusals = createBackoff({ initialMs: 10_000, maxMs: 60_000 });
    /** Pods with a pending write, with the monotonic time of the next attempt. */
    const due = new Map<string, number>();
    const inFlight = new Map<string, Promise<void>>();
    /** The written status and the response to the last patch or read, by the pod's UID in the API server. */
    const sent = new Map<string, VersionedPodStatus>();
    const written = new Map<string, Pod>();
    /** UIDs in the API server of pods whose last patch may have been carried out without an answer: their status is not known. */
    const unanswered = new Set<string>();
    /** UIDs in the API server of pods to reconcile, as a batch: they changed there, or their terminal phase was not sent. */
    const changed = new Set<string>();
    let reconcileTimer: Timer | undefined;
    let sendTimer: Timer | undefined;
    let sending = false;

    const newest = (local: Pod): Pod => {
      const answer = written.get(podUid(local));
      if (answer && isNewer(answer, local)) return answer;
      written.delete(podUid(local));
      return local;
    };

    /** Undefined for a removed pod, or one that the API server does not have. */
    const targetOf = (uid: string): Target | undefined => {
      const entry = statuses.versionedStatus(uid);
      const pod = lookup.podByUid(uid);
      const local = entry && pod && informer.get(objectKey(pod));
      if (!local) return undefined;
      const apiPod = newest(local);
      if (isStaticPod(pod)) {
        const outdated = !isMirrorPodOf(apiPod, pod) || !!apiPod.metadata?.deletionTimestamp;
        return outdated ? undefined : { apiPod, entry };
      }
      if (podUid(apiPod) === uid) return { apiPod, entry };
      logger.debug({ pod: podKey(pod), podUID: podUid(apiPod) }, 'the API server has another pod with this name');
      statuses.forgetPodStatus(uid);
      return undefined;
    };

    const requestFor = (uid: string, { apiPod, entry }: Target): Request | undefined => {
      if (unanswered.has(podUid(apiPod))) return { verb: 'read' };
      const wasSent = sent.get(podUid(apiPod)) === entry;
      const mayRun = couldHaveRunningContainers(uid);
      const request = nextStatusRequest({ apiPod, entry, sent: wasSent, couldHaveRunningContainers: mayRun, now: clock.now() });
      // The terminal phase is sent once nothing runs, which need not change the status.
      if (mayRun && isTerminalPhase(entry.status.phase) && !isTerminalPhase(apiPod.status?.phase)) reconcileLater(podUid(apiPod));
      if (request?.verb !== 'patch') sent.set(podUid(apiPod), entry);
      return request;
    };

    const send = async (uid: string, { apiPod, entry }: Target, request: Request) => {
      const { signal } = ended;
      const apiUid = podUid(apiPod);
      try {
        if (request.verb === 'patch') {
          const patch = { metadata: { uid: apiUid }, status: request.status };
          written.set(apiUid, await pods.patch(objectKey(apiPod), patch, { subresource: 'status', type: 'strategic', signal }));
          sent.set(apiUid, entry);
          syncDuration.observe((clock.now() - entry.at) / 1_000);
        } else if (request.verb === 'read') {
          written.set(apiUid, await pods.get(objectKey(apiPod), { signal }));
          unanswered.delete(apiUid);
        } else {
          await pods.delete(objectKey(apiPod), { gracePeriodSeconds: 0, preconditions: { uid: apiUid }, signal });
          statuses.forgetPodStatus(uid);
        }
        refusals.reset(uid);
        gate.end({ answered: true });
      } catch (error) {
        failed(uid, { apiPod, entry }, request, error);
      }
    };

    const failed = (uid: string, { apiPod, entry }: Target, { verb }: Request, error: unknown) => {
      const status = apiStatusOf(error);
      if (verb === 'patch' && mayBeCarriedOut(error)) unanswered.add(podUid(apiPod));
      const away = status === undefined || [429, 502, 503, 504].includes(status.code);
      gate.end(
        away ? { answered: false, ...(status?.retryAfterMs !== undefined && { retryAfterMs: status.retryAfterMs }) } : { answered: true },
      );
      if (ended.signal.aborted) return;
      if (away) {
        // Queued again behind the others.
        due.delete(uid);
        due.set(uid, 0);
      } else if (isApiReason(error, 'NotFound')) {
        if (verb === 'delete') statuses.forgetPodStatus(uid);
        sent.set(podUid(apiPod), entry);
        unanswered.delete(podUid(apiPod));
        return;
      } else {
        const now = clock.monotonic();
        refusals.next(uid, now, now);
        due.set(uid, now + refusals.get(uid) * (0.5 + random()));
      }
      logger.warn({ pod: podKey(apiPod), verb, err: error }, 'failed to write a pod status');
    };

    const sendDue = () => {
      sending = false;
      sendTimer?.cancel();
      if (ended.signal.aborted) return;
      const now = clock.monotonic();
      let wait = Number.POSITIVE_INFINITY;
      for (const [uid, from] of due) {
        if (inFlight.has(uid)) continue;
        if (from > now) {
          wait = Math.min(wait, from - now);
          continue;
        }
        const closed = gate.waitMs();
        if (closed > 0) {
          wait = Math.min(wait, closed);
          break;
        }
        const target = targetOf(uid);
        const request = target && requestFor(uid, target);
        if (target === undefined || request === undefined) {
          due.delete(uid);
          refusals.reset(uid);
          continue;
        }
        gate.begin();
        inFlight.set(
          uid,
          send(uid, target, request).finally(() => {
            inFlight.delete(uid);
            scheduleSend();
          }),
        );
      }
      if (wait < Number.POSITIVE_INFINITY) sendTimer = clock.setTimeout(sendDue, wait);
    };

    const scheduleSend = () => {
      if (sending) return;
      sending = true;
      queueMicrotask(sendDue);
    };
    const mark = (uid: string) => {
      const isFirst = statuses.versionedStatus(uid)?.version === 1;
      if (!due.has(uid)) due.set(uid, clock.monotonic() + (isFirst ? firstGatherMs : gatherMs));
      scheduleSend();
    };

    const reconcileLater = (apiUid: string) => {
      changed.add(apiUid);
      reconcileTimer ??= clock.setTimeout(reconcile, reconcileMs);
    };

    const reconcile = () => {
      reconcileTimer = undefined;
      const batch = [...changed];
      changed.clear();
      for (const apiUid of batch) {
        const uid = lookup.translatePodUid(apiUid);
        // The agent has not handled the new pod yet, as during the admission of another one that waits for a device.
        if (lookup.podByUid(uid) === undefined) {
          reconcileLater(apiUid);
          continue;
        }
        const target = targetOf(uid);
        if (target === undefined) continue;
        if (needsReconcile(target.apiPod, target.entry.status)) sent.delete(podUid(target.apiPod));
        mark(uid);
      }
    };

    const onChange = (change: ObjectChange<Pod> | undefined) => {
      if (change === undefined) {
        for (const [uid] of statuses.versionedStatuses()) mark(uid);
        return;
      }
      const { old, object } = change;
      if (old && (object === undefined || podUid(object) !== podUid(old))) {
        for (const known of [sent, written, unanswered]) known.delete(podUid(old));
        changed.delete(podUid(old));
      }
      if (object === undefined) return;
      const uid = podUid(object);
      if (object.metadata?.deletionTimestamp && statuses.versionedStatus(uid)?.podIsFinished) mark(uid);
      reconcileLater(uid);
    };

    const stopListening = informer.onChange(onChange);
    for (const [uid] of statuses.versionedStatuses()) mark(uid);
    return {
      /** The status of a static pod without a mirror pod is written with its next status or at the next reconciliation. */
      changed(uid: string) {
        const pod = lookup.podByUid(uid);
        if (pod && isStaticPod(pod) && targetOf(uid) === undefined) return;
        mark(uid);
      },
      async end() {
        stopListening();
        reconcileTimer?.cancel();
        sendTimer?.cancel();
        ended.abort();
        await Promise.all(inFlight.values());
      },
    };
  }

  return {
    async start(statuses) {
      run ??= startRun(statuses);
    },
    statusChanged: (uid) => run?.changed(uid),
    async stop() {
      const ending = run;
      run = undefined;
      await ending?.end();
    },
  };
}

/** Whether the API server may have carried out the request: it did not refuse it, and the client did not fail to connect. */
function mayBeCarriedOut(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status !== undefined) return status.code >= 500;
  return (error as { details?: { stage?: unknown } } | undefined)?.details?.stage !== 'connect';
}

/** Whether `a` is newer than `b`; resource versions are increasing integers (KEP-5504). */
function isNewer(a: Pod, b: Pod): boolean {
  const [first, second] = [a.metadata?.resourceVersion ?? '', b.metadata?.resourceVersion ?? ''];
  const isNumber = /^\d+$/;
  return isNumber.test(first) && isNumber.test(second) && BigInt(first) > BigInt(second);
}
