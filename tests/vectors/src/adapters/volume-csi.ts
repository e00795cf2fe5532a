import { errorCode, errorMessage, type VolumeSpec } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import {
  chooseCsiVersion,
  csiAccessMode,
  csiAttachmentName,
  csiAttachmentStatus,
  csiBlockPaths,
  csiExpansionVerdict,
  csiInlineVolumeHandle,
  csiPluginName,
  csiTargetPath,
  formatCsiData,
  formatCsiVersion,
  isFinalCsiError,
  parseCsiData,
  specFromCsiData,
  supportsCsiFsGroup,
} from '@nodeagent/csi/decisions';
import { createCsi } from '@nodeagent/csi/node';
import { csiAccessModes, statusError } from '@nodeagent/plugin-api';
import { uniqueVolumeName } from '@nodeagent/volume-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

function attempt<T>(compute: () => T): T | { error: string } {
  try {
    return compute();
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

const isError = (result: unknown) => typeof result === 'object' && result !== null && 'error' in result;

const versionErrors: Record<string, string> = { CsiDriverExists: 'alreadyRegistered', CsiVersionUnsupported: 'unsupported' };

export const volumeCsiAdapters: Adapter[] = [
  defineAdapter('csi-access-mode', ({ accessMode, singleNodeMultiWriter }) => {
    const mode = csiAccessMode(accessMode, singleNodeMultiWriter);
    return { mode, number: csiAccessModes.indexOf(mode) };
  }),
  defineAdapter('csi-attachment-status', ({ volumeAttachment }) => csiAttachmentStatus(volumeAttachment ?? undefined)),
  defineAdapter('csi-final-error', ({ code, nonGrpc }) => {
    const error = nonGrpc ? new Error('no answer') : statusError(code, 'no');
    const verdict = csiExpansionVerdict(error);
    return { final: isFinalCsiError(error), expandInUse: verdict === 'inUse', expandInfeasible: verdict === 'infeasible' };
  }),
  defineAdapter('csi-fsgroup-support', ({ accessModes, fsGroup, fsType, kind, policy, readOnly }) => ({
    supports: supportsCsiFsGroup({
      fsGroup: fsGroup ?? undefined,
      policy,
      readOnly,
      fsType,
      accessModes: kind === 'inline' ? undefined : (accessModes ?? []),
    }),
  })),
  defineAdapter('csi-names', ({ kind, rootDir, nodeName, driver, podUID, specName, volumeHandle }) => {
    const paths = volumePaths(rootDir);
    const { plugin } = createCsi({ rootDir, nodeName, isMountPoint: async () => false });
    const deviceMountPath = (spec: VolumeSpec) => attempt(() => plugin.deviceMountable?.deviceMounter().deviceMountPath(spec));
    const targetPath = csiTargetPath(paths, podUID, specName);
    if (kind === 'inline') {
      const spec = { volume: { name: specName, csi: { driver } }, readOnly: false };
      return {
        getVolumeNameError: isError(attempt(() => plugin.volumeName(spec))),
        stagePathError: isError(deviceMountPath(spec)),
        podUniqueName: uniqueVolumeName({ spec, plugin, attachable: false, deviceMountable: false }, podUID),
        targetPath,
        volumeHandle: csiInlineVolumeHandle(podUID, specName),
      };
    }
    const spec = { persistentVolume: { metadata: { name: specName }, spec: { csi: { driver, volumeHandle } } }, readOnly: false };
    const { publishPath, ...block } = csiBlockPaths(paths, specName);
    return {
      uniqueName: uniqueVolumeName({ spec, plugin, attachable: true, deviceMountable: true }, podUID),
      attachmentName: csiAttachmentName(volumeHandle, driver, nodeName),
      stagePath: deviceMountPath(spec),
      targetPath,
      block: {
        ...block,
        publishPath: publishPath(podUID),
        podLinkName: specName,
        podMapDir: paths.podDeviceMap(podUID, csiPluginName),
      },
    };
  }),
  defineAdapter('csi-validate-versions', ({ versions, existingVersion }) => {
    try {
      const existing = existingVersion === undefined ? undefined : chooseCsiVersion([existingVersion]);
      return { highest: formatCsiVersion(chooseCsiVersion(versions ?? [], existing)) };
    } catch (error) {
      const isEmpty = errorMessage(error).includes('empty list');
      return { errorClass: isEmpty ? 'emptyList' : (versionErrors[errorCode(error) ?? ''] ?? errorMessage(error)) };
    }
  }),
  defineAdapter('csi-vol-data', ({ data }) => {
    const fileText = formatCsiData(data);
    const read = parseCsiData(fileText);
    const { persistentVolume, volume } = specFromCsiData(read);
    return {
      fileText,
      reconstructed: {
        persistentVolume: persistentVolume === undefined ? null : { ...persistentVolume, status: {} },
        volume: volume ?? null,
        seLinuxMountContext: read.seLinuxMountContext ?? '',
      },
    };
  }),
];
