import type { CSIPersistentVolumeSource, PersistentVolume, SecretReference, VolumeSpec } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { type LifecycleMode, notCsi } from './drivers.js';
import { csiInlineVolumeHandle } from './names.js';

/** The facts of a volume for its mounts, from a persistent or an ephemeral inline volume. */
export interface MountSource {
  mode: LifecycleMode;
  specName: string;
  driver: string;
  volumeHandle: string;
  readOnly: boolean;
  fsType: string;
  attributes: Readonly<Record<string, string>>;
  publishSecret: SecretReference | undefined;
  mountOptions: readonly string[];
  /** The first access mode of the persistent volume, else ReadWriteOnce. */
  accessMode: string;
  /** Of the persistent volume; undefined for an ephemeral inline volume. */
  accessModes: readonly string[] | undefined;
}

export function mountSource(spec: VolumeSpec, pod: { uid: string; namespace: string }): MountSource {
  const { persistentVolume, volume } = spec;
  const name = specName(spec);
  if (persistentVolume?.spec?.csi !== undefined) {
    const source = persistentVolume.spec.csi;
    return {
      mode: 'Persistent',
      specName: name,
      driver: source.driver,
      volumeHandle: source.volumeHandle,
      readOnly: spec.readOnly,
      fsType: source.fsType ?? '',
      attributes: source.volumeAttributes ?? {},
      publishSecret: source.nodePublishSecretRef,
      mountOptions: persistentVolume.spec.mountOptions ?? [],
      accessMode: persistentVolume.spec.accessModes?.[0] ?? 'ReadWriteOnce',
      accessModes: persistentVolume.spec.accessModes ?? [],
    };
  }
  const inline = volume?.csi ?? notCsi();
  const secret = inline.nodePublishSecretRef;
  return {
    mode: 'Ephemeral',
    specName: name,
    driver: inline.driver,
    volumeHandle: csiInlineVolumeHandle(pod.uid, name),
    readOnly: inline.readOnly ?? false,
    fsType: inline.fsType ?? '',
    attributes: inline.volumeAttributes ?? {},
    publishSecret: secret && { ...secret, namespace: pod.namespace },
    mountOptions: [],
    accessMode: 'ReadWriteOnce',
    accessModes: undefined,
  };
}

/** The persistent volume with its CSI source; throws for a spec without one. */
export function persistentSource({ persistentVolume }: VolumeSpec): { volume: PersistentVolume; source: CSIPersistentVolumeSource } {
  const source = persistentVolume?.spec?.csi;
  return persistentVolume === undefined || source === undefined ? notCsi() : { volume: persistentVolume, source };
}

export const driverOf = ({ persistentVolume, volume }: VolumeSpec): string | undefined =>
  persistentVolume === undefined ? volume?.csi?.driver : persistentVolume.spec?.csi?.driver;
