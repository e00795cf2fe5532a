import { expect, it } from 'vitest';
import { ephemeralStorage } from './ephemeral-storage.js';

const at = (second: number, usedBytes?: bigint, inodesUsed?: bigint) => ({
  time: `2026-01-01T00:00:0${second}Z`,
  ...(usedBytes !== undefined && { usedBytes }),
  ...(inodesUsed !== undefined && { inodesUsed }),
});
const rootFs = { ...at(1, 500n, 50n), capacityBytes: 1000n, availableBytes: 400n, inodes: 100n, inodesFree: 50n };

it('sums what takes of the root file system, whose size it has; the time is the newest', () => {
  expect(
    ephemeralStorage({
      rootFs,
      containers: [{ rootfs: at(2, 10n, 1n), logs: at(3, 20n, 2n) }],
      ephemeralVolumes: [at(1, 40n, 4n)],
      podLogs: at(4, 80n, 8n),
      etcHosts: at(1, 160n, 16n),
    }),
  ).toEqual({ ...at(4, 310n, 31n), capacityBytes: 1000n, availableBytes: 400n, inodes: 100n, inodesFree: 50n });
});

it('counts a container only where its root file system is known, and no sum of nothing', () => {
  const total = ephemeralStorage({ rootFs, containers: [{ logs: at(9, 20n, 2n) }], ephemeralVolumes: [] });
  expect(total).toEqual({ ...at(1), capacityBytes: 1000n, availableBytes: 400n, inodes: 100n, inodesFree: 50n });
});

it('is unknown without the root file system', () =>
  expect(ephemeralStorage({ containers: [], ephemeralVolumes: [at(1, 1n)] })).toBeUndefined());
