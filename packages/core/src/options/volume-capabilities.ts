import type { AttachingVolumeManager, GroupingVolumeManager, ReconcilingVolumeManager, VolumeStatsSource } from '@nodeagent/api';
import type { Capabilities, Capability } from './capabilities.js';

const reconciling: Capability<ReconcilingVolumeManager> = {
  name: 'ReconcilingVolumeManager',
  fallback: { start: async () => {}, stop: async () => {}, podsChanged: () => {} },
  loss: 'volumes are mounted and unmounted only during pod syncs',
};

const attaching: Capability<AttachingVolumeManager> = {
  name: 'AttachingVolumeManager',
  fallback: {
    getVolumesInUse: () => [],
    markVolumesAsReportedInUse: () => {},
    reconcilerStatesHasBeenSynced: () => false,
  },
  loss: 'the Node reports no volumes in use',
};

const grouping: Capability<GroupingVolumeManager> = {
  name: 'GroupingVolumeManager',
  fallback: { getExtraSupplementalGroupsForPod: () => [] },
  loss: 'containers do not get the supplemental groups of their volumes',
};

const measuring: Capability<VolumeStatsSource> = {
  name: 'VolumeStatsSource',
  fallback: { volumeStats: async () => ({ ephemeral: [], persistent: [] }) },
  loss: 'volume usage is unknown, and pods are not evicted for it',
};

/** What a volume manager can do beyond `VolumeManager`. */
export const volumeCapabilities = { reconciling, attaching, grouping, measuring };

export type VolumeCapabilities = Capabilities<typeof volumeCapabilities>;
