import type { Volume, VolumeProjection } from '@nodeagent/api';
import { type Field, field } from './fields.js';

/** The volumes of a pod, as in `kubectl describe pod`. */
export function volumesField(volumes: readonly Volume[] = []): Field {
  return volumes.length === 0
    ? { key: 'Volumes', value: '<none>' }
    : { key: 'Volumes', fields: volumes.map((volume) => ({ key: volume.name, fields: volumeFields(volume) })) };
}

/** The types that kubectl explains. */
const meanings: Readonly<Record<string, string>> = {
  hostPath: 'HostPath (bare host directory volume)',
  emptyDir: "EmptyDir (a temporary directory that shares a pod's lifetime)",
  secret: 'Secret (a volume populated by a Secret)',
  configMap: 'ConfigMap (a volume populated by a ConfigMap)',
  projected: 'Projected (a volume that contains injected data from multiple sources)',
  downwardAPI: 'DownwardAPI (a volume populated by information about the pod)',
  persistentVolumeClaim: 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
  ephemeral: 'EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)',
  csi: 'CSI (a Container Storage Interface (CSI) volume source)',
  nfs: 'NFS (an NFS mount that lasts the lifetime of a pod)',
  image: 'Image (a container image or OCI artifact)',
};

function volumeFields({ name: _, ...volume }: Volume): Field[] {
  const [type, source] = Object.entries(volume).find(([, value]) => value !== undefined && value !== null) ?? ['emptyDir', {}];
  return [{ key: 'Type', value: meanings[type] ?? type }, ...sourceFields(type, source)];
}

function sourceFields(type: string, source: object): Field[] {
  const volume = { [type]: source } as Omit<Volume, 'name'>;
  const { hostPath, emptyDir, secret, configMap, projected, downwardAPI, persistentVolumeClaim, ephemeral } = volume;
  if (hostPath) return [{ key: 'Path', value: hostPath.path }, ...field('HostPathType', hostPath.type)];
  if (emptyDir) return [...field('Medium', emptyDir.medium), { key: 'SizeLimit', value: emptyDir.sizeLimit ?? '<unset>' }];
  if (secret) return [...field('SecretName', secret.secretName), { key: 'Optional', value: String(secret.optional ?? false) }];
  if (configMap) return [...field('Name', configMap.name), { key: 'Optional', value: String(configMap.optional ?? false) }];
  if (projected) return (projected.sources ?? []).flatMap(projectionFields);
  if (downwardAPI) return itemFields(downwardAPI.items);
  if (persistentVolumeClaim) {
    return [
      { key: 'ClaimName', value: persistentVolumeClaim.claimName },
      { key: 'ReadOnly', value: String(persistentVolumeClaim.readOnly ?? false) },
    ];
  }
  if (ephemeral) return field('StorageClass', ephemeral.volumeClaimTemplate?.spec.storageClassName ?? undefined);
  return scalarFields(source);
}

function projectionFields({ secret, configMap, downwardAPI, serviceAccountToken }: VolumeProjection): Field[] {
  return [
    ...field('SecretName', secret?.name),
    ...field('ConfigMapName', configMap?.name),
    ...(downwardAPI ? itemFields(downwardAPI.items) : []),
    ...field('TokenExpirationSeconds', serviceAccountToken && String(serviceAccountToken.expirationSeconds ?? 3607)),
  ];
}

const itemFields = (
  items: readonly { path: string; fieldRef?: { fieldPath: string }; resourceFieldRef?: { resource: string } }[] = [],
): Field[] =>
  items.map(({ path, fieldRef, resourceFieldRef }) => ({ key: path, value: fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? '' }));

/** The texts, numbers and flags of any other source: `driver` as `Driver`. */
function scalarFields(source: object): Field[] {
  return Object.entries(source).flatMap(([name, value]) =>
    typeof value === 'object' ? [] : field(name.charAt(0).toUpperCase() + name.slice(1), String(value)),
  );
}
