import { errorMessage } from '@nodeagent/api';
import { createCheckpointFile } from '@nodeagent/api/files';
import { decodeDraCheckpoint, encodeDraCheckpoint } from './checkpoint.js';
import { type ClaimInfo, claimKey } from './claim-info.js';

/** The claims that pods of the node use, by {@link claimKey}, with their checkpoint. */
export interface ClaimCache {
  get(key: string): ClaimInfo | undefined;
  set(info: ClaimInfo): void;
  delete(info: ClaimInfo): void;
  all(): ClaimInfo[];
  /** The claims that refer to the pod. */
  ofPod(podUID: string): ClaimInfo[];
  /** Whether drivers prepared the claim since the start of the process and did not unprepare it since. */
  isPrepared(info: ClaimInfo): boolean;
  setPrepared(info: ClaimInfo, isPrepared: boolean): void;
  /** Reads the checkpoint. No claim is prepared after it. Rejects with `InvalidCheckpoint`. */
  load(): Promise<void>;
  /** Writes the checkpoint; writes of concurrent calls happen one after another. */
  save(): Promise<void>;
  /** Resolves when no write is running. */
  settled(): Promise<void>;
}

/** Creates an empty cache with the checkpoint at the path. */
export function createClaimCache(path: string): ClaimCache {
  const claims = new Map<string, ClaimInfo>();
  const prepared = new Set<string>();
  const file = createCheckpointFile({ path, encode: encodeDraCheckpoint, decode: decodeDraCheckpoint });
  let saving: Promise<void> = Promise.resolve();
  const keyOf = ({ namespace, claimName }: ClaimInfo) => claimKey(namespace, claimName);
  const all = () => [...claims.values()];
  return {
    get: (key) => claims.get(key),
    set: (info) => void claims.set(keyOf(info), info),
    delete(info) {
      claims.delete(keyOf(info));
      prepared.delete(keyOf(info));
    },
    all,
    ofPod: (podUID) => all().filter(({ podUIDs }) => podUIDs.has(podUID)),
    isPrepared: (info) => prepared.has(keyOf(info)),
    setPrepared: (info, isPrepared) => void (isPrepared ? prepared.add(keyOf(info)) : prepared.delete(keyOf(info))),
    async load() {
      for (const info of (await file.load()) ?? []) claims.set(keyOf(info), info);
    },
    save() {
      saving = saving.catch(() => {}).then(() => file.save(all()));
      return saving.catch((cause) => {
        throw new Error(`cannot write the checkpoint of ResourceClaims: ${errorMessage(cause)}`, { cause });
      });
    },
    settled: () => saving.catch(() => {}),
  };
}
