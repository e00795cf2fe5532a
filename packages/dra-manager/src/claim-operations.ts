import { errorMessage, type ObjectGetter, type Pod, type ResourceClaim } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
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

export function createClaimOperations(options: ClaimOperationsOptions): ClaimOperations {
  return new Operations(options);
}

class Operations implements ClaimOperations {
  readonly #options: ClaimOperationsOptions;
  readonly #cache: ClaimCache;
  /** Without it, a pod could find a claim prepared that the unprepare of another pod is about to remove. */
  readonly #lock = createKeyedLock();

  constructor(options: ClaimOperationsOptions) {
    this.#options = options;
    this.#cache = options.cache;
  }

  async prepare(pod: Pod, signal: AbortSignal | undefined): Promise<void> {
    if (!hasClaims(pod)) return;
    const keys = podClaims(pod).map(({ claimName }) => claimKey(pod.metadata?.namespace, claimName));
    await this.#lock(keys, () => this.#prepareClaims(pod, signal));
  }

  unprepare(podUID: string, signal: AbortSignal | undefined): Promise<void> {
    const keys = this.#cache.ofPod(podUID).map(({ namespace, claimName }) => claimKey(namespace, claimName));
    return this.#lock(keys, () => this.#unprepareClaims(podUID, keys, signal));
  }

  /** Reads and checks the claims of a pod. Leaves the cache as it is, so that a rejected pod terminates without its drivers. */
  async #readClaims(pod: Pod, signal: AbortSignal | undefined): Promise<ClaimInfo[]> {
    const infos: ClaimInfo[] = [];
    for (const { claimName, mustBeOwner } of podClaims(pod)) {
      const key = { namespace: pod.metadata?.namespace ?? '', name: claimName };
      const claim = await this.#options.claims.get(key, signal === undefined ? {} : { signal }).catch((cause) => {
        throw new Error(`fetch ResourceClaim ${claimName}: ${errorMessage(cause)}`, { cause });
      });
      checkClaim(pod, claim, mustBeOwner);
      const info = claimInfoOf(claim);
      const { claimUID } = this.#cache.get(claimKey(info.namespace, info.claimName)) ?? info;
      if (claimUID !== info.claimUID) {
        throw new Error(
          `ResourceClaim ${claimName} has UID ${info.claimUID}, but a deleted one with UID ${claimUID} is not unprepared yet`,
        );
      }
      for (const driver of Object.keys(info.drivers)) this.#options.drivers.get(driver);
      infos.push(info);
    }
    return infos;
  }

  /** Adds the pod to the claims and saves the reference before any driver is called, so that a restarted agent unprepares them. */
  async #addReferences(podUID: string, read: readonly ClaimInfo[]): Promise<ClaimInfo[]> {
    const infos = read.map((info) => {
      const { podUIDs, ...known } = this.#cache.get(claimKey(info.namespace, info.claimName)) ?? info;
      return { ...known, podUIDs: new Set([...podUIDs, podUID]) };
    });
    for (const info of infos) this.#cache.set(info);
    await this.#cache.save();
    return infos;
  }

  async #prepareClaims(pod: Pod, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const infos = await this.#addReferences(podUid(pod), await this.#readClaims(pod, signal));
    const pending = new Map(infos.filter((info) => !this.#cache.isPrepared(info)).map((info) => [info.claimUID, info]));
    if (pending.size === 0) return;
    for (const [driver, batch] of claimsByDriver([...pending.values()])) {
      const results = await this.#options.call('NodePrepareResources', this.#options.drivers.get(driver), batch, signal);
      for (const [uid, { devices }] of results) {
        const info = pending.get(uid);
        if (info) pending.set(uid, { ...info, drivers: { ...info.drivers, [driver]: devices } });
      }
    }
    for (const info of pending.values()) {
      this.#cache.set(info);
      this.#cache.setPrepared(info, true);
    }
    await this.#cache.save();
  }

  async #unprepareClaims(podUID: string, keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const infos = this.#cache.ofPod(podUID).filter(({ namespace, claimName }) => keys.includes(claimKey(namespace, claimName)));
    if (infos.length === 0) return;
    const last = infos.filter(({ podUIDs }) => podUIDs.size === 1);
    for (const info of infos) {
      if (!last.includes(info)) this.#cache.set({ ...info, podUIDs: new Set([...info.podUIDs].filter((uid) => uid !== podUID)) });
    }
    // If the call fails, some devices may be unprepared: the next pod has them prepared again.
    for (const info of last) this.#cache.setPrepared(info, false);
    for (const [driver, batch] of claimsByDriver(last)) {
      await this.#options.call('NodeUnprepareResources', this.#options.drivers.get(driver), batch, signal);
    }
    for (const info of last) this.#cache.delete(info);
    await this.#cache.save();
  }
}
