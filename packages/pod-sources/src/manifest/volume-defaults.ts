import { type DownwardAPIVolumeFile, isObject, type Volume } from '@nodeagent/api';
import { defaultPullPolicy } from './pull-policy.js';

/** Fields of volume sources that have a fixed default. Source: Kubernetes API reference, "Volume". */
const fixedDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  secret: { defaultMode: 0o644 },
  configMap: { defaultMode: 0o644 },
  downwardAPI: { defaultMode: 0o644 },
  projected: { defaultMode: 0o644 },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** Fills in what the API server would; a volume without a source is an emptyDir. */
export function applyVolumeDefaults(volume: Volume): void {
  const sources = Object.entries(volume).filter(([key]) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const [key, source] of sources) {
    if (isObject(source)) for (const [field, value] of Object.entries(fixedDefaults[key] ?? {})) source[field] ??= value;
  }
  applyFieldVersions(volume.downwardAPI?.items);
  for (const { downwardAPI, serviceAccountToken } of volume.projected?.sources ?? []) {
    applyFieldVersions(downwardAPI?.items);
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
  }
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference);
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim?.spec) claim.spec.volumeMode ??= 'Filesystem';
}

function applyFieldVersions(items: DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
}
