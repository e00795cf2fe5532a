import type { AttachingVolumeManager, GroupingVolumeManager, ReconcilingVolumeManager, VolumeStatsSource } from '@nodeagent/api';
import type { Capabilities, Capability } from './capabilities.js';

const reconciling: Capability<ReconcilingVolumeManager> = {
  name: 'ReconcilingVolumeManager',
  without: { start: async () => {}, stop: async () => {}, podsChanged: () => {} },
  loss: 'volumes are mounted and unmounted only while a pod is synced',
};

const attaching: Capability<AttachingVolumeManager> = {
  name: 'AttachingVolumeManager',
  without: {
    getVolumesInUse: () => [],
    markVolumesAsReportedInUse: () => {},
    reconcilerStatesHasBeenSynced: () => false,
  },
  loss: 'the Node reports no volumes in use',
};

const grouping: Capability<GroupingVolumeManager> = {
  name: 'GroupingVolumeManager',
  without: { getExtraSupplementalGroupsForPod: () => [] },
  loss: 'containers do not get the groups of their volumes',
};

const measuring: Capability<VolumeStatsSource> = {
  name: 'VolumeStatsSource',
  without: { volumeStats: async () => ({ ephemeral: [], persistent: [] }) },
  loss: 'nobody knows how full volumes are, and no pod is evicted for its volumes',
};

/** What a volume manager may be able to do beside `VolumeManager`. */
export const volumeCapabilities = { reconciling, attaching, grouping, measuring };

export type VolumeCapabilities = Capabilities<typeof volumeCapabilities>;
