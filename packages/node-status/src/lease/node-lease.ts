import {
  type Clock,
  checkOptionNames,
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
  type OptionNames,
  type OwnerReference,
  type Random,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import { createBackOff, jitteredLoop } from '../manager/jittered-loop.js';
import { timedCall } from '../manager/timed-call.js';
import { hasNoOwner, leaseNamespace, newLease, nodeOwner, renewedLease } from './lease-object.js';

export interface NodeLeaseOptions {
  nodeName: string;
  leases: ObjectGetter<Lease> & ObjectCreator<Lease> & ObjectUpdater<Lease>;
  /** Gets the Node, the owner of the lease: deleting the Node deletes its lease. */
  nodes: ObjectGetter<Node>;
  /** Seconds without renewal after which the node counts as unreachable. Renewed every quarter of it. Default 40. */
  leaseDurationSeconds?: number;
  /** Timeout of one call. Default 10000, or the lease's duration if that is shorter. */
  callTimeoutMs?: number;
  /** Called from the second consecutive failure on, to close connections that may be half-open. */
  onRepeatedHeartbeatFailure?: () => void;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
}

const optionNames: OptionNames<NodeLeaseOptions> = {
  nodeName: true,
  leases: true,
  nodes: true,
  leaseDurationSeconds: true,
  callTimeoutMs: true,
  onRepeatedHeartbeatFailure: true,
  clock: true,
  random: true,
  logger: true,
};

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
  checkOptionNames('createNodeLease', options, optionNames);
  const { nodeName, leases, nodes, leaseDurationSeconds = 40, onRepeatedHeartbeatFailure } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  if (!nodeName) throw invalidOption('nodeName', 'a name', nodeName);
  requirePositive('leaseDurationSeconds', leaseDurationSeconds, { integer: true });
  requirePositive('callTimeoutMs', options.callTimeoutMs);
  const { callTimeoutMs = Math.min(10_000, leaseDurationSeconds * 1000) } = options;
  const periodMs = (leaseDurationSeconds * 1000) / 4;
  const key = { namespace: leaseNamespace, name: nodeName };
  let latest: Lease | undefined;

  const call = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => timedCall(clock, callTimeoutMs, signal, work);
  const findOwner = async (signal: AbortSignal) =>
    nodeOwner(await call(signal, (limited) => nodes.get({ name: nodeName }, { signal: limited })));

  /** The existing lease, or a new one; undefined if its owner is unknown, and the next renewal retries. */
  async function getOrCreate(signal: AbortSignal): Promise<{ lease: Lease; created: boolean } | undefined> {
    try {
      return { lease: await call(signal, (limited) => leases.get(key, { signal: limited })), created: false };
    } catch (error) {
      if (!isApiReason(error, 'NotFound')) throw error;
    }
    let owner: OwnerReference;
    try {
      owner = await findOwner(signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, 'cannot get the node that owns the lease');
      return undefined;
    }
    const wanted = newLease({ nodeName, leaseDurationSeconds, now: clock.now() }, owner);
    return { lease: await call(signal, (limited) => leases.create(wanted, { signal: limited })), created: true };
  }

  async function ensure(signal: AbortSignal) {
    const backOff = createBackOff(clock, firstRetryMs, maxRetryMs, signal);
    for (;;) {
      try {
        return await getOrCreate(signal);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, 'cannot ensure that the lease exists, will retry');
      }
      await backOff();
    }
  }

  async function update(base: Lease, signal: AbortSignal): Promise<Lease> {
    const owner = hasNoOwner(base) ? await findOwner(signal) : undefined;
    const renewed = renewedLease(base, clock.now(), owner);
    return call(signal, (limited) => leases.update(renewed, { signal: limited }));
  }

  async function renew(base: Lease, signal: AbortSignal): Promise<void> {
    let current: Lease | undefined = base;
    let cause: unknown;
    for (let attempt = 0; attempt < maxUpdateTries && current !== undefined; attempt++) {
      try {
        latest = await update(current, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        logger.warn({ attempt, err: error }, 'cannot renew the lease');
        if (isApiReason(error, 'Conflict')) current = (await ensure(signal))?.lease;
        else if (attempt > 0) onRepeatedHeartbeatFailure?.();
      }
    }
    const message = `failed ${maxUpdateTries} attempts to update lease`;
    throw new NodeAgentError(nodeStatusErrorCodes.leaseUpdateFailed, message, { retryable: true, cause });
  }

  async function heartbeat(signal: AbortSignal): Promise<void> {
    if (latest !== undefined) {
      try {
        return await renew(latest, signal);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, 'falling back to getting or creating the lease');
      }
    }
    const ensured = await ensure(signal);
    latest = ensured?.lease;
    if (ensured && !ensured.created) await renew(ensured.lease, signal);
  }

  const loop = createRunLoop((signal) =>
    jitteredLoop(
      async () => {
        try {
          await heartbeat(signal);
        } catch (error) {
          if (!signal.aborted) logger.warn({ err: error }, 'cannot renew the lease, will retry');
        }
      },
      { clock, random, periodMs: () => periodMs, signal },
    ),
  );
  return {
    get lease() {
      return latest;
    },
    start: loop.start,
    stop: loop.stop,
  };
}
