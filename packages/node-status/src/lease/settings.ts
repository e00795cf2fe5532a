import { type SettingTable, wholeNumberFrom } from '@nodeagent/api/helpers';

/** The settings of the node's lease, with the names and defaults of KubeletConfiguration. */
export const nodeLeaseSettings = {
  /** Seconds without renewal after which the node counts as unreachable. Renewed every quarter of it. Default 40. */
  leaseDurationSeconds: {
    default: 40,
    unit: 's',
    check: { rule: 'a whole number above 0', accepts: wholeNumberFrom(1).accepts },
    field: 'nodeLeaseDurationSeconds',
  },
} satisfies SettingTable;
