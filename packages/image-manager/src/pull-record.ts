import { isDeepStrictEqual } from 'node:util';
import type { SecretCoordinates, ServiceAccountCoordinates, TrackedCredential } from './credentials.js';

/** A pull that began and whose end is not recorded yet; `kubelet.config.k8s.io/v1beta1`, `ImagePullIntent`. */
export interface ImagePullIntent {
  /** As requested. */
  image: string;
}

/** A pull secret with which an image was pulled. */
export interface RecordedSecret extends SecretCoordinates {
  credentialHash: string;
}

/** Who may use an image. */
export interface ImagePullCredentials {
  kubernetesSecrets?: RecordedSecret[];
  kubernetesServiceAccounts?: ServiceAccountCoordinates[];
  /** Every pod of the node: the image was pulled without credentials or with the node's. */
  nodePodsAccessible?: boolean;
}

/** What is known of an image that was pulled; `kubelet.config.k8s.io/v1beta1`, `ImagePulledRecord` (KEP-2535). */
export interface ImagePulledRecord {
  lastUpdatedTime: string;
  imageRef: string;
  /** By image name without tag and digest. */
  credentialMapping: Record<string, ImagePullCredentials>;
}

/** Keeps intents and records over restarts. Every method rejects if the store fails; writes are atomic and durable. */
export interface PullRecordStore {
  getIntent(image: string): Promise<ImagePullIntent | undefined>;
  /** Overwrites. */
  writeIntent(intent: ImagePullIntent): Promise<void>;
  /** Idempotent. */
  deleteIntent(image: string): Promise<void>;
  /** Leaves out, and reports, what cannot be read. */
  listIntents(): Promise<ImagePullIntent[]>;
  /** Rejects if there is a record that cannot be read. */
  getPulledRecord(imageRef: string): Promise<ImagePulledRecord | undefined>;
  /** Overwrites. */
  writePulledRecord(record: ImagePulledRecord): Promise<void>;
  /** Idempotent. */
  deletePulledRecord(imageRef: string): Promise<void>;
  /** Leaves out, and reports, what cannot be read. */
  listPulledRecords(): Promise<ImagePulledRecord[]>;
}

/** The image's name without tag and digest: the key of a credential mapping. */
export function trimImageName(image: string): string {
  const [name = ''] = image.split('@', 1);
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

/** What the record says about images of this name; undefined if nothing. */
export function recordedCredentials({ credentialMapping }: ImagePulledRecord, image: string): ImagePullCredentials | undefined {
  const name = trimImageName(image);
  return Object.hasOwn(credentialMapping, name) ? credentialMapping[name] : undefined;
}

/** What a pull with this login (undefined: without one) says about who may use the image. */
export function credentialsOfPull(used: TrackedCredential | undefined): ImagePullCredentials {
  if (used?.source?.secret) return { kubernetesSecrets: [{ ...used.source.secret, credentialHash: used.hash }] };
  if (used?.source?.serviceAccount) return { kubernetesServiceAccounts: [used.source.serviceAccount] };
  return { nodePodsAccessible: true };
}

/** Whether both mean the same object of the cluster. */
export function sameCoordinates(a: SecretCoordinates, b: SecretCoordinates): boolean {
  return a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}

/**
 * The record after a pull or a check that succeeded with `added`: access for the whole node outweighs single secrets and accounts, and a
 * secret that is known already gets its new hash. Undefined if that changes nothing.
 */
export function mergeRecord(
  record: ImagePulledRecord | undefined,
  { image, imageRef, now }: { image: string; imageRef: string; now: string },
  added: ImagePullCredentials | undefined,
): ImagePulledRecord | undefined {
  const name = trimImageName(image);
  const present = record && recordedCredentials(record, image);
  const merged = added && mergeCredentials(present, added);
  if (record && (merged === undefined || (present && isDeepStrictEqual(mergeCredentials(present, {}), merged)))) return undefined;
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

/** Each object once, with its last value, sorted by namespace, name and uid. */
function keyed<T extends SecretCoordinates>(list: readonly T[]): T[] {
  const byKey = new Map(list.map((entry) => [[entry.namespace, entry.name, entry.uid].join('\0'), entry]));
  return Array.from(byKey)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
}
