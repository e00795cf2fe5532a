import { equalJson } from '@nodeagent/api/helpers';
import type { SecretCoordinates, ServiceAccountCoordinates, TrackedCredential } from './credentials.js';

/** A pull in progress, or one that a crash interrupted; `kubelet.config.k8s.io/v1beta1`, `ImagePullIntent`. */
export interface ImagePullIntent {
  /** As requested. */
  image: string;
}

/** A pull secret with which an image was pulled. */
export interface RecordedSecret extends SecretCoordinates {
  credentialHash: string;
}

/** Which pods may use an image. */
export interface ImagePullCredentials {
  kubernetesSecrets?: RecordedSecret[];
  kubernetesServiceAccounts?: ServiceAccountCoordinates[];
  /** All pods of the node: the image was pulled without credentials or with the node's. */
  nodePodsAccessible?: boolean;
}

/** The record of a pulled image; `kubelet.config.k8s.io/v1beta1`, `ImagePulledRecord` (KEP-2535). */
export interface ImagePulledRecord {
  lastUpdatedTime: string;
  imageRef: string;
  /** By image name without tag and digest. */
  credentialMapping: Record<string, ImagePullCredentials>;
}

/** Stores intents and records across restarts. Every method rejects if the store fails; writes are atomic and durable. */
export interface PullRecordStore {
  getIntent(image: string): Promise<ImagePullIntent | undefined>;
  /** Overwrites. */
  writeIntent(intent: ImagePullIntent): Promise<void>;
  /** Idempotent. */
  deleteIntent(image: string): Promise<void>;
  /** Skips and logs damaged entries. */
  listIntents(): Promise<ImagePullIntent[]>;
  /** Rejects if the record is damaged. */
  getPulledRecord(imageRef: string): Promise<ImagePulledRecord | undefined>;
  /** Overwrites. */
  writePulledRecord(record: ImagePulledRecord): Promise<void>;
  /** Idempotent. */
  deletePulledRecord(imageRef: string): Promise<void>;
  /** Skips and logs damaged entries. */
  listPulledRecords(): Promise<ImagePulledRecord[]>;
}

/** The image's name without tag and digest: the key of a credential mapping. */
export function trimImageName(image: string): string {
  const [name = ''] = image.split('@', 1);
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

/** The record's credentials for images of this name; undefined if it has none. */
export function recordedCredentials({ credentialMapping }: ImagePulledRecord, image: string): ImagePullCredentials | undefined {
  const name = trimImageName(image);
  return Object.hasOwn(credentialMapping, name) ? credentialMapping[name] : undefined;
}

/** Which pods may use an image that was pulled with these credentials (undefined: without any). */
export function credentialsOfPull(used: TrackedCredential | undefined): ImagePullCredentials {
  if (used?.source?.secret) return { kubernetesSecrets: [{ ...used.source.secret, credentialHash: used.hash }] };
  if (used?.source?.serviceAccount) return { kubernetesServiceAccounts: [used.source.serviceAccount] };
  return { nodePodsAccessible: true };
}

/** Whether both identify the same object of the cluster. */
export function sameCoordinates(a: SecretCoordinates, b: SecretCoordinates): boolean {
  return a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}

/**
 * The record after a successful pull or check with `added`. Access for all pods of the node replaces single secrets and accounts, and a
 * recorded secret gets its new hash. Undefined if nothing changes.
 */
export function mergeRecord(
  record: ImagePulledRecord | undefined,
  { image, imageRef, now }: { image: string; imageRef: string; now: string },
  added: ImagePullCredentials | undefined,
): ImagePulledRecord | undefined {
  const name = trimImageName(image);
  const present = record && recordedCredentials(record, image);
  const merged = added && mergeCredentials(present, added);
  if (record && (merged === undefined || (present && equalJson(mergeCredentials(present, {}), merged)))) return undefined;
  const mapping = { ...record?.credentialMapping, ...(merged && { [name]: merged }) };
  return { lastUpdatedTime: now, imageRef, credentialMapping: mapping };
}

function mergeCredentials(present: ImagePullCredentials | undefined, added: ImagePullCredentials): ImagePullCredentials {
  if (added.nodePodsAccessible || present?.nodePodsAccessible) return { nodePodsAccessible: true };
  const secrets = keyed([...(present?.kubernetesSecrets ?? []), ...(added.kubernetesSecrets ?? [])]);
  const accounts = keyed([...(present?.kubernetesServiceAccounts ?? []), ...(added.kubernetesServiceAccounts ?? [])]);
  return {
    ...(secrets.length > 0 && { kubernetesSecrets: secrets }),
    ...(accounts.length > 0 && { kubernetesServiceAccounts: accounts }),
  };
}

/** Distinct objects, each with its last value, sorted by namespace, name and uid. */
function keyed<T extends SecretCoordinates>(list: readonly T[]): T[] {
  const byKey = new Map(list.map((entry) => [[entry.namespace, entry.name, entry.uid].join('\0'), entry]));
  return Array.from(byKey)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
}
