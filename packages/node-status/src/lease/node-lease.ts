import {
  type Clock,
  createRunLoop,
  invalidOption,
  isApiReason,
  type Lease,
  type Logger,
  type Node,
  NodeAgentError,
  type ObjectCreator,
  type ObjectGetter,
  type ObjectUpdater,
  type OwnerReference,
  type Random,
  type RunLoop,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { nodeStatusErrorCodes } from '../errors.js';
import { createBackOff, jitteredLoop } from '../manager/jittered-loop.js';
import { timedCall } from '../manager/timed-call.js';
import { hasNoOwner, leaseNamespace, newLease, nodeOwner, renewedLease } from './lease-object.js';
import { nodeLeaseSettings } from './settings.js';

export interface NodeLeaseOptions extends GivenSettings<typeof nodeLeaseSettings> {
  nodeName: string;
  leases: ObjectGetter<Lease> & ObjectCreator<Lease> & ObjectUpdater<Lease>;
  /** Gets the Node, the owner of the lease: deleting the Node deletes its lease. */
  nodes: ObjectGetter<Node>;
  /** Timeout of one call. Default 10000, or the lease's duration if that is shorter. */
  callTimeoutMs?: number;
  /** Called from the second consecutive failure on, to close connections that may be half-open. */
  onRepeatedHeartbeatFailure?: () => void;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
}

/** Renews the node's lease until it is stopped. */
export interface NodeLease extends Startable {
  /** The lease as last written or read; undefined before. */
  readonly lease: Lease | undefined;
}

const maxUpdateTries = 5;
const firstRetryMs = 200;
const maxRetryMs = 7_000;

/**
 * Renews the node's lease: Kubernetes documentation, "Leases: Node heartbeats". Continues during a graceful shutdown, so stop it last.
 * Failures are logged and retried forever. Throws `InvalidOption`.
 */
export function createNodeLease(options: NodeLeaseOptions): NodeLease {
  if (!options.nodeName) throw invalidOption('nodeName', 'a name', options.nodeName);
  requirePositive('callTimeoutMs', options.callTimeoutMs);
  return new RenewedLease(options);
}

class RenewedLease implements NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #leaseDurationSeconds: number;
  readonly #callTimeoutMs: number;
  readonly #loop: RunLoop;
  #lease: Lease | undefined;

  constructor(options: NodeLeaseOptions) {
    const { leaseDurationSeconds } = completeSettings(nodeLeaseSettings, options, '');
    const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#leaseDurationSeconds = leaseDurationSeconds;
    this.#callTimeoutMs = options.callTimeoutMs ?? Math.min(10_000, leaseDurationSeconds * 1000);
    const periodMs = () => (leaseDurationSeconds * 1000) / 4;
    this.#loop = createRunLoop((signal) => jitteredLoop(() => this.#beat(signal), { clock, random, periodMs, signal }));
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#loop.start(signal);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    try {
      await this.#heartbeat(signal);
    } catch (error) {
      if (!signal.aborted) this.#logger.warn({ err: error }, 'cannot renew the lease, will retry');
    }
  }

  async #heartbeat(signal: AbortSignal): Promise<void> {
    if (this.#lease !== undefined) {
      try {
        return await this.#renew(this.#lease, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#logger.warn({ err: error }, 'falling back to getting or creating the lease');
      }
    }
    const ensured = await this.#ensure(signal);
    this.#lease = ensured?.lease;
    if (ensured && !ensured.created) await this.#renew(ensured.lease, signal);
  }

  async #renew(base: Lease, signal: AbortSignal): Promise<void> {
    const { onRepeatedHeartbeatFailure } = this.#options;
    let current: Lease | undefined = base;
    let cause: unknown;
    for (let attempt = 0; attempt < maxUpdateTries && current !== undefined; attempt++) {
      try {
        this.#lease = await this.#update(current, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        this.#logger.warn({ attempt, err: error }, 'cannot renew the lease');
        if (isApiReason(error, 'Conflict')) current = (await this.#ensure(signal))?.lease;
        else if (attempt > 0) onRepeatedHeartbeatFailure?.();
      }
    }
    const message = `failed ${maxUpdateTries} attempts to update lease`;
    throw new NodeAgentError(nodeStatusErrorCodes.leaseUpdateFailed, message, { retryable: true, cause });
  }

  async #update(base: Lease, signal: AbortSignal): Promise<Lease> {
    const owner = hasNoOwner(base) ? await this.#findOwner(signal) : undefined;
    const renewed = renewedLease(base, this.#clock.now(), owner);
    return this.#call(signal, (limited) => this.#options.leases.update(renewed, { signal: limited }));
  }

  async #ensure(signal: AbortSignal) {
    const backOff = createBackOff(this.#clock, firstRetryMs, maxRetryMs, signal);
    for (;;) {
      try {
        return await this.#getOrCreate(signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#logger.warn({ err: error }, 'cannot ensure that the lease exists, will retry');
      }
      await backOff();
    }
  }

  /** The existing lease, or a new one; undefined if its owner is unknown, and the next renewal retries. */
  async #getOrCreate(signal: AbortSignal): Promise<{ lease: Lease; created: boolean } | undefined> {
    const { nodeName, leases } = this.#options;
    const key = { namespace: leaseNamespace, name: nodeName };
    try {
      return { lease: await this.#call(signal, (limited) => leases.get(key, { signal: limited })), created: false };
    } catch (error) {
      if (!isApiReason(error, 'NotFound')) throw error;
    }
    let owner: OwnerReference;
    try {
      owner = await this.#findOwner(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#logger.warn({ err: error }, 'cannot get the node that owns the lease');
      return undefined;
    }
    const wanted = newLease({ nodeName, leaseDurationSeconds: this.#leaseDurationSeconds, now: this.#clock.now() }, owner);
    return { lease: await this.#call(signal, (limited) => leases.create(wanted, { signal: limited })), created: true };
  }

  async #findOwner(signal: AbortSignal): Promise<OwnerReference> {
    const { nodeName, nodes } = this.#options;
    return nodeOwner(await this.#call(signal, (limited) => nodes.get({ name: nodeName }, { signal: limited })));
  }

  #call<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return timedCall(this.#clock, this.#callTimeoutMs, signal, work);
  }
}
