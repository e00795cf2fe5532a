import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { type CsiNodeCapability, type csiNodeService, type Implementation, statusError } from '@nodeagent/plugin-api';
import type { CsiTestDisk } from './driver-types.js';

/** The driver's settings and volumes. */
export interface NodeServiceState {
  readonly nodeId: string;
  readonly topology: Record<string, string> | undefined;
  readonly disk: CsiTestDisk;
  readonly staged: Map<string, string>;
  readonly published: Map<string, string>;
  readonly sizes: Map<string, bigint>;
  readonly capabilities: readonly CsiNodeCapability[];
  readonly maxVolumesPerNode: bigint;
}

/** The node service; reads the settings at each call. */
export function nodeService(state: NodeServiceState): Implementation<typeof csiNodeService> {
  const { nodeId, topology, disk, staged, published, sizes } = state;
  const can = (capability: CsiNodeCapability) => state.capabilities.includes(capability);
  return {
    nodeGetInfo: () => ({
      nodeId,
      maxVolumesPerNode: state.maxVolumesPerNode,
      ...(topology === undefined ? {} : { accessibleTopology: { segments: topology } }),
    }),
    nodeGetCapabilities: () => ({ capabilities: state.capabilities.map((type) => ({ rpc: { type } })) }),
    nodeStageVolume({ volumeId, stagingTargetPath }) {
      // A block device is staged below the path: the path itself stays a folder.
      mount(disk, staged, stagingTargetPath, volumeId, false);
      return {};
    },
    nodeUnstageVolume({ stagingTargetPath }) {
      unmount(disk, staged, stagingTargetPath);
      return {};
    },
    nodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability, volumeContext }) {
      const isInline = volumeContext['csi.storage.k8s.io/ephemeral'] === 'true' || volumeId.startsWith('csi-');
      if (can('STAGE_UNSTAGE_VOLUME') && !isInline && staged.get(stagingTargetPath) !== volumeId) {
        throw statusError('FailedPrecondition', `volume ${volumeId} is not staged`);
      }
      mount(disk, published, targetPath, volumeId, volumeCapability?.block !== undefined);
      return {};
    },
    nodeUnpublishVolume({ targetPath }) {
      const isPublished = published.has(targetPath) && existsSync(targetPath);
      unmount(disk, published, targetPath);
      if (!isPublished) return {};
      try {
        rmdirSync(targetPath);
      } catch {
        rmSync(targetPath, { force: true });
      }
      return {};
    },
    nodeExpandVolume({ volumeId, volumePath, capacityRange }) {
      if (!published.has(volumePath) && !staged.has(volumePath)) throw statusError('NotFound', `nothing is mounted on ${volumePath}`);
      sizes.set(volumeId, capacityRange?.requiredBytes ?? 0n);
      return { capacityBytes: capacityRange?.requiredBytes ?? 0n };
    },
    nodeGetVolumeStats({ volumeId, volumePath }) {
      if (published.get(volumePath) !== volumeId) throw statusError('NotFound', `volume ${volumeId} is not on ${volumePath}`);
      const total = sizes.get(volumeId) ?? 1n << 30n;
      return {
        usage: [
          { unit: 'BYTES', total, used: total / 4n, available: total - total / 4n },
          { unit: 'INODES', total: 1000n, used: 10n, available: 990n },
        ],
        ...(can('VOLUME_CONDITION') ? { volumeCondition: { abnormal: false, message: 'as good as new' } } : {}),
      };
    },
  };
}

function mount(disk: CsiTestDisk, mounts: Map<string, string>, path: string, volumeId: string, isBlock: boolean): void {
  if (volumeId === '' || path === '') throw statusError('InvalidArgument', 'volume ID and path must not be empty');
  const other = mounts.get(path);
  if (other !== undefined && other !== volumeId) throw statusError('AlreadyExists', `${path} has volume ${other}`);
  disk.mount({ volumeId, path, isBlock });
  mounts.set(path, volumeId);
}

function unmount(disk: CsiTestDisk, mounts: Map<string, string>, path: string): void {
  disk.unmount(path);
  mounts.delete(path);
}
