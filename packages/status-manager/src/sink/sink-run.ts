import {
  apiStatusOf,
  type Histogram,
  isApiReason,
  type ObjectChange,
  objectKey,
  type Pod,
  type StatusVersions,
  type Timer,
  type VersionedPodStatus,
} from '@nodeagent/api';
import { createBackoff, isMirrorPodOf, isPodConditionTrue, isStaticPod, isTerminalPhase, podKey, podUid } from '@nodeagent/api/helpers';
import { needsReconcile } from '../compare/sync-decisions.js';
import { nextStatusRequest, type PodStatusRequest } from './next-request.js';
import type { ApiStatusSinkOptions } from './options.js';
import { createReconcileBatch } from './reconcile-batch.js';
import { createRequestGate, type RequestGate } from './request-gate.js';
import { createSentStatuses } from './sent-statuses.js';

/**
 * Delay of a new status, which collects further changes, such as those at a pod's termination. A pod that becomes Ready has none: nothing follows
 * at once, and Services and controllers wait for it.
 */
const gatherMs = 10;
/** Delay of a pod's first status, which is written before a sandbox exists, as in the kubelet. */
const firstGatherMs = 1;

/** A pod in the API server with the status to write. */
interface Target {
  apiPod: Pod;
  entry: VersionedPodStatus;
}

/** A patch or deletion of the pod, or a read of it if a patch got no answer. */
type Request = NonNullable<PodStatusRequest> | { verb: 'read' };

type CompleteOptions = Required<Omit<ApiStatusSinkOptions, 'metrics'>> & {
  /** In seconds. */
  syncDuration: Histogram;
};

/** The sink between `start` and `stop`. */
export interface SinkRun {
  /** The status of a static pod without a mirror pod is written with its next status or at the next reconciliation. */
  statusChanged(uid: string): void;
  /** Cancels the requests, and resolves when they have ended. */
  end(): Promise<void>;
}

/** Writes all statuses, and each that changes from then on. */
export function startSinkRun(options: CompleteOptions, statuses: StatusVersions): SinkRun {
  return new StatusWriter(options, statuses);
}

class StatusWriter implements SinkRun {
  readonly #options: CompleteOptions;
  readonly #statuses: StatusVersions;
  readonly #gate: RequestGate;
  readonly #refusals = createBackoff({ initialMs: 10_000, maxMs: 60_000 });
  /** Pods with a pending write, with the monotonic time of the next attempt. */
  readonly #due = new Map<string, number>();
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #sent = createSentStatuses();
  /** Pods that changed in the API server, or whose terminal phase was not sent. */
  readonly #toReconcile;
  readonly #ended = new AbortController();
  readonly #stopListening: () => void;
  #sendTimer: Timer | undefined;
  #isSending = false;

  constructor(options: CompleteOptions, statuses: StatusVersions) {
    this.#options = options;
    this.#statuses = statuses;
    this.#gate = createRequestGate(options);
    this.#toReconcile = createReconcileBatch(options.clock, (apiUids) => this.#reconcile(apiUids));
    this.#stopListening = options.informer.onChange((change) => this.#podChanged(change));
    this.#markAll();
  }

  statusChanged(uid: string): void {
    const pod = this.#options.lookup.podByUid(uid);
    const target = this.#targetOf(uid);
    if (pod && isStaticPod(pod) && target === undefined) return;
    this.#mark(uid);
    if (target && becomesReady(target) && this.#refusals.get(uid) === 0) this.#due.set(uid, 0);
  }

  async end(): Promise<void> {
    this.#stopListening();
    this.#toReconcile.cancel();
    this.#sendTimer?.cancel();
    this.#ended.abort();
    await Promise.all(this.#inFlight.values());
  }

  #markAll(): void {
    for (const [uid] of this.#statuses.versionedStatuses()) this.#mark(uid);
  }

  #mark(uid: string): void {
    const isFirst = this.#statuses.versionedStatus(uid)?.version === 1;
    if (!this.#due.has(uid)) this.#due.set(uid, this.#options.clock.monotonic() + (isFirst ? firstGatherMs : gatherMs));
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => this.#sendDue());
  }

  /** Sends what is due as far as the gate allows, and sets the timer for the rest. */
  #sendDue(): void {
    this.#isSending = false;
    this.#sendTimer?.cancel();
    if (this.#ended.signal.aborted) return;
    const { clock } = this.#options;
    const now = clock.monotonic();
    let wait = Number.POSITIVE_INFINITY;
    for (const [uid, from] of this.#due) {
      if (this.#inFlight.has(uid)) continue;
      if (from > now) {
        wait = Math.min(wait, from - now);
        continue;
      }
      const closed = this.#gate.waitMs();
      if (closed > 0) {
        wait = Math.min(wait, closed);
        break;
      }
      this.#sendNext(uid);
    }
    if (wait < Number.POSITIVE_INFINITY) this.#sendTimer = clock.setTimeout(() => this.#sendDue(), wait);
  }

  /** Starts the pod's next request, if it needs one. */
  #sendNext(uid: string): void {
    const target = this.#targetOf(uid);
    const request = target && this.#requestFor(uid, target);
    if (target === undefined || request === undefined) {
      this.#due.delete(uid);
      this.#refusals.reset(uid);
      return;
    }
    this.#gate.begin();
    const sending = this.#send(uid, target, request).finally(() => {
      this.#inFlight.delete(uid);
      this.#scheduleSend();
    });
    this.#inFlight.set(uid, sending);
  }

  /** Undefined for a removed pod, or one that the API server does not have. */
  #targetOf(uid: string): Target | undefined {
    const { lookup, informer, logger } = this.#options;
    const entry = this.#statuses.versionedStatus(uid);
    const pod = lookup.podByUid(uid);
    const local = entry && pod && informer.get(objectKey(pod));
    if (!local) return undefined;
    const apiPod = this.#sent.newest(local);
    if (isStaticPod(pod)) {
      const outdated = !isMirrorPodOf(apiPod, pod) || !!apiPod.metadata?.deletionTimestamp;
      return outdated ? undefined : { apiPod, entry };
    }
    if (podUid(apiPod) === uid) return { apiPod, entry };
    logger.debug({ pod: podKey(pod), podUID: podUid(apiPod) }, 'the API server has another pod with this name');
    this.#statuses.forgetPodStatus(uid);
    return undefined;
  }

  #requestFor(uid: string, { apiPod, entry }: Target): Request | undefined {
    const { clock, couldHaveRunningContainers } = this.#options;
    const apiUid = podUid(apiPod);
    if (this.#sent.isUnanswered(apiUid)) return { verb: 'read' };
    const sent = this.#sent.isSent(apiUid, entry);
    const mayRun = couldHaveRunningContainers(uid);
    const request = nextStatusRequest({ apiPod, entry, sent, couldHaveRunningContainers: mayRun, now: clock.now() });
    // The terminal phase is sent once nothing runs, which need not change the status.
    if (mayRun && isTerminalPhase(entry.status.phase) && !isTerminalPhase(apiPod.status?.phase)) this.#toReconcile.add(apiUid);
    if (request?.verb !== 'patch') this.#sent.markSent(apiUid, entry);
    return request;
  }

  async #send(uid: string, target: Target, request: Request): Promise<void> {
    const { pods, clock, syncDuration } = this.#options;
    const { signal } = this.#ended;
    const { apiPod, entry } = target;
    const apiUid = podUid(apiPod);
    try {
      if (request.verb === 'patch') {
        const patch = { metadata: { uid: apiUid }, status: request.status };
        this.#sent.receive(apiUid, await pods.patch(objectKey(apiPod), patch, { subresource: 'status', type: 'strategic', signal }));
        this.#sent.markSent(apiUid, entry);
        syncDuration.observe((clock.now() - entry.at) / 1_000);
      } else if (request.verb === 'read') {
        this.#sent.receive(apiUid, await pods.get(objectKey(apiPod), { signal }));
      } else {
        await pods.delete(objectKey(apiPod), { gracePeriodSeconds: 0, preconditions: { uid: apiUid }, signal });
        this.#statuses.forgetPodStatus(uid);
      }
      this.#refusals.reset(uid);
      this.#gate.end({ answered: true });
    } catch (error) {
      this.#failed(uid, target, request.verb, error);
    }
  }

  #failed(uid: string, { apiPod, entry }: Target, verb: Request['verb'], error: unknown): void {
    if (verb === 'patch' && mayBeCarriedOut(error)) this.#sent.markUnanswered(podUid(apiPod));
    const isAway = isUnavailable(error);
    const retryAfterMs = apiStatusOf(error)?.retryAfterMs;
    this.#gate.end(isAway ? { answered: false, ...(retryAfterMs !== undefined && { retryAfterMs }) } : { answered: true });
    if (this.#ended.signal.aborted) return;
    if (isAway) {
      // Queued again behind the others.
      this.#due.delete(uid);
      this.#due.set(uid, 0);
    } else if (isApiReason(error, 'NotFound')) {
      if (verb === 'delete') this.#statuses.forgetPodStatus(uid);
      this.#sent.markSent(podUid(apiPod), entry);
      this.#sent.receive(podUid(apiPod), undefined);
      return;
    } else this.#retryRefused(uid);
    this.#options.logger.warn({ pod: podKey(apiPod), verb, err: error }, 'failed to write a pod status');
  }

  #retryRefused(uid: string): void {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    this.#refusals.next(uid, now, now);
    this.#due.set(uid, now + this.#refusals.get(uid) * (0.5 + random()));
  }

  #reconcile(apiUids: readonly string[]): void {
    const { lookup } = this.#options;
    for (const apiUid of apiUids) {
      const uid = lookup.translatePodUid(apiUid);
      // The agent has not handled the new pod yet, as during the admission of another one that waits for a device.
      if (lookup.podByUid(uid) === undefined) {
        this.#toReconcile.add(apiUid);
        continue;
      }
      const target = this.#targetOf(uid);
      if (target === undefined) continue;
      if (needsReconcile(target.apiPod, target.entry.status)) this.#sent.markUnsent(podUid(target.apiPod));
      this.#mark(uid);
    }
  }

  /** Undefined after the informer has listed all pods again. */
  #podChanged(change: ObjectChange<Pod> | undefined): void {
    if (change === undefined) {
      this.#markAll();
      return;
    }
    const { old, object } = change;
    if (old && (object === undefined || podUid(object) !== podUid(old))) {
      this.#sent.forget(podUid(old));
      this.#toReconcile.delete(podUid(old));
    }
    if (object === undefined) return;
    const uid = podUid(object);
    if (object.metadata?.deletionTimestamp && this.#statuses.versionedStatus(uid)?.podIsFinished) this.#mark(uid);
    this.#toReconcile.add(uid);
  }
}

function becomesReady({ apiPod, entry }: Target): boolean {
  return !apiPod.metadata?.deletionTimestamp && isPodConditionTrue(entry.status, 'Ready') && !isPodConditionTrue(apiPod.status, 'Ready');
}

/** Whether the API server may have carried out the request: it did not refuse it, and the client did not fail to connect. */
function mayBeCarriedOut(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status !== undefined) return status.code >= 500;
  return (error as { details?: { stage?: unknown } } | undefined)?.details?.stage !== 'connect';
}

/** Whether the API server did not answer, or is unavailable or overloaded. */
function isUnavailable(error: unknown): boolean {
  const status = apiStatusOf(error);
  return status === undefined || [429, 502, 503, 504].includes(status.code);
}
