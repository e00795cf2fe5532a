import type { ObjectFieldSelector, ResourceFieldSelector } from './downward-api.js';
import type { LabelSelector } from './meta.js';
import type { VolumeReference, VolumeReferenceKind } from './volume-reference.js';

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface DownwardAPIVolumeFile {
  path: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
}

/** One source of a projected volume: exactly one of these. */
export interface VolumeProjection {
  secret?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  downwardAPI?: { items?: DownwardAPIVolumeFile[] };
  serviceAccountToken?: { audience?: string; expirationSeconds?: number; path: string };
  clusterTrustBundle?: {
    name?: string;
    signerName?: string;
    labelSelector?: LabelSelector;
    optional?: boolean;
    path: string;
  };
  podCertificate?: {
    signerName: string;
    keyType: string;
    maxExpirationSeconds?: number;
    credentialBundlePath?: string;
    keyPath?: string;
    certificateChainPath?: string;
    userAnnotations?: Record<string, string>;
  };
}

/** Every source of projected volumes needs an entry, which the compiler checks. */
const projectedObjects: Readonly<Record<keyof VolumeProjection, VolumeReferenceKind | undefined>> = {
  secret: 'secret',
  configMap: 'configMap',
  downwardAPI: undefined,
  serviceAccountToken: 'serviceAccount',
  clusterTrustBundle: 'clusterTrustBundle',
  podCertificate: 'podCertificate',
};

/** The API objects that the projected volume's source at that index refers to. */
export function projectionReferences(projection: VolumeProjection, index: number): VolumeReference[] {
  return Object.entries(projectedObjects).flatMap(([kind, to]) => {
    const source = projection[kind as keyof VolumeProjection];
    if (to === undefined || source === undefined) return [];
    return [{ to, field: `sources[${index}].${kind}`, ...('name' in source && { name: source.name }) }];
  });
}
