import { type FCVolumeSource, type ISCSIVolumeSource, NodeAgentError, type VolumeSpec } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { volumePluginsErrorCodes } from '../errors.js';
import { sourceOf } from './volume-kind.js';

/** What a volume that is mounted into the pod's folder is, by its spec. */
export interface BoundVolumeFacts {
  volumeName(spec: VolumeSpec): string;
  isReadOnly(spec: VolumeSpec): boolean;
  /** Whether the plugin applies the pod's `fsGroup` to the files. */
  appliesFsGroup: boolean;
}

export type BoundKind = 'local' | 'nfs' | 'iscsi' | 'fc';

export const nfsSource = (spec: VolumeSpec) => sourceOf(spec, 'nfs') ?? { server: '', path: '' };

/** Names of iscsi devices below `/dev/disk/by-path`. */
export const iscsi = {
  deviceOf(spec: VolumeSpec): string {
    const { targetPortal = '', iqn = '', lun = 0 }: Partial<ISCSIVolumeSource> = sourceOf(spec, 'iscsi') ?? {};
    const portal = /:\d+$/.test(targetPortal) ? targetPortal : `${targetPortal}:3260`;
    return `ip-${portal}-iscsi-${iqn}-lun-${lun}`;
  },
  sourceOfDevice(name: string): Partial<ISCSIVolumeSource> {
    const [, targetPortal = '', iqn = '', lun] = /^ip-(.+)-iscsi-(.+)-lun-(\d+)$/.exec(name) ?? [];
    return { targetPortal, iqn, lun: Number(lun) };
  },
};

/** Names of fc devices below `/dev/disk/by-path`. */
export const fc = {
  deviceOf(spec: VolumeSpec): string {
    const { targetWWNs: [wwn] = [], lun } = sourceOf(spec, 'fc') ?? {};
    if (wwn === undefined || lun === undefined) {
      throw new NodeAgentError(volumePluginsErrorCodes.unsupportedVolume, 'fc: no targetWWNs and lun found in the volume');
    }
    return `fc-0x${wwn}-lun-${lun}`;
  },
  sourceOfDevice(name: string): FCVolumeSource {
    const [, wwn = '', lun] = /^fc-0x(.+)-lun-(\d+)$/.exec(name) ?? [];
    return { targetWWNs: [wwn], lun: Number(lun) };
  },
};

export const boundVolumes: Record<BoundKind, BoundVolumeFacts> = {
  local: { volumeName: specName, isReadOnly: (spec) => spec.readOnly, appliesFsGroup: true },
  nfs: {
    volumeName(spec) {
      const { server, path } = nfsSource(spec);
      return `${server}/${path}`;
    },
    isReadOnly: (spec) => spec.readOnly || (nfsSource(spec).readOnly ?? false),
    appliesFsGroup: false,
  },
  iscsi: {
    volumeName: iscsi.deviceOf,
    isReadOnly: (spec) => spec.readOnly || (sourceOf(spec, 'iscsi')?.readOnly ?? false),
    appliesFsGroup: true,
  },
  fc: { volumeName: fc.deviceOf, isReadOnly: (spec) => spec.readOnly || (sourceOf(spec, 'fc')?.readOnly ?? false), appliesFsGroup: true },
};
