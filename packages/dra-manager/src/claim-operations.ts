import { errorMessage, type ObjectGetter, type Pod, podUid, type ResourceClaim } from '@nodeagent/api';
import type { ClaimCache } from './claim-cache.js';
import { checkClaim } from './claim-checks.js';
import { type ClaimInfo, claimInfoOf, claimKey, claimsByDriver } from './claim-info.js';
import type { DriverCall } from './driver-calls.js';
import type { Drivers } from './drivers.js';
import { createKeyedLock } from './keyed-lock.js';
import { hasClaims, podClaims } from './pod-claims.js';

interface ClaimOperationsOptions {
  cache: ClaimCache;
  claims: ObjectGetter<ResourceClaim>;
  drivers: Pick<Drivers, 'get'>;
  call: DriverCall;
}

/** Prepares and unprepares the claims of pods. Operations on the same claim run one after another. Both reject with an Error. */
export interface ClaimOperations {
  prepare(pod: Pod, signal: AbortSignal | undefined): Promise<void>;
  unprepare(podUID: string, signal: AbortSignal | undefined): Promise<void>;
}

export function createClaimOperations({ cache, claims, drivers, call }: ClaimOperationsOptions): ClaimOperations {
  /** Without it, a pod could find a claim prepared that the unprepare of another pod is about to remove. */
  const lock = createKeyedLock();

  /** Reads and checks the claims of a pod. Leaves the cache as it is, so that a rejected pod terminates without its drivers. */
  async function readClaims(pod: Pod, signal: AbortSignal | undefined): Promise<ClaimInfo[]> {
    const infos: ClaimInfo[] = [];
    for (const { claimName, mustBeOwner } of podClaims(pod)) {
      const key = { namespace: pod.metadata?.namespace ?? '', name: claimName };
      const claim = await claims.get(key, signal === undefined ? {} : { signal }).catch((cause) => {
        throw new Error(`fetch ResourceClaim ${claimName}: ${errorMessage(cause)}`, { cause });
      });
      checkClaim(pod, claim, mustBeOwner);
      const info = claimInfoOf(claim);
      const { claimUID } = cache.get(claimKey(info.namespace, info.claimName)) ?? info;
      if (claimUID !== info.claimUID) {
        throw new Error(
          `ResourceClaim ${claimName} has UID ${info.claimUID}, but a deleted one with UID ${claimUID} is not unprepared yet`,
        );
      }
      for (const driver of Object.keys(info.drivers)) drivers.get(driver);
      infos.push(info);
    }
    return infos;
  }

  /** Adds the pod to the claims and saves the reference before any driver is called, so that a restarted agent unprepares them. */
  async function addReferences(podUID: string, read: readonly ClaimInfo[]): Promise<ClaimInfo[]> {
    const infos = read.map((info) => {
      const { podUIDs, ...known } = cache.get(claimKey(info.namespace, info.claimName)) ?? info;
      return { ...known, podUIDs: new Set([...podUIDs, podUID]) };
    });
    for (const info of infos) cache.set(info);
    await cache.save();
    return infos;
  }

  async function prepareClaims(pod: Pod, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const infos = await addReferences(podUid(pod), await readClaims(pod, signal));
    const pending = new Map(infos.filter((info) => !cache.isPrepared(info)).map((info) => [info.claimUID, info]));
    if (pending.size === 0) return;
    for (const [driver, batch] of claimsByDriver([...pending.values()])) {
      const results = await call('NodePrepareResources', drivers.get(driver), batch, signal);
      for (const [uid, { devices }] of results) {
        const info = pending.get(uid);
        if (info) pending.set(uid, { ...info, drivers: { ...info.drivers, [driver]: devices } });
      }
    }
    for (const info of pending.values()) {
      cache.set(info);
      cache.setPrepared(info, true);
    }
    await cache.save();
  }

  async function unprepareClaims(podUID: string, keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const infos = cache.ofPod(podUID).filter(({ namespace, claimName }) => keys.includes(claimKey(namespace, claimName)));
    if (infos.length === 0) return;
    const last = infos.filter(({ podUIDs }) => podUIDs.size === 1);
    for (const info of infos) {
      if (!last.includes(info)) cache.set({ ...info, podUIDs: new Set([...info.podUIDs].filter((uid) => uid !== podUID)) });
    }
    // If the call fails, some devices may be unprepared: the next pod has them prepared again.
    for (const info of last) cache.setPrepared(info, false);
    for (const [driver, batch] of claimsByDriver(last)) {
      await call('NodeUnprepareResources', drivers.get(driver), batch, signal);
    }
    for (const info of last) cache.delete(info);
    await cache.save();
  }

  return {
    async prepare(pod, signal) {
      if (!hasClaims(pod)) return;
      const keys = podClaims(pod).map(({ claimName }) => claimKey(pod.metadata?.namespace, claimName));
      await lock(keys, () => prepareClaims(pod, signal));
    },
    unprepare(podUID, signal) {
      const keys = cache.ofPod(podUID).map(({ namespace, claimName }) => claimKey(namespace, claimName));
      return lock(keys, () => unprepareClaims(podUID, keys, signal));
    },
  };
}
