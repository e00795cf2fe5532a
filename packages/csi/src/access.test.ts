import { expect, it } from 'vitest';
import { type CsiFsGroupInput, csiAccessMode, supportsCsiFsGroup } from './access.js';

it('uses the finer access modes only if the driver supports them', () => {
  const modes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod', 'Other'];
  expect(modes.map((mode) => csiAccessMode(mode, false))).toEqual([
    'SINGLE_NODE_WRITER',
    'MULTI_NODE_READER_ONLY',
    'MULTI_NODE_MULTI_WRITER',
    'SINGLE_NODE_WRITER',
    'UNKNOWN',
  ]);
  expect(modes.map((mode) => csiAccessMode(mode, true))).toEqual([
    'SINGLE_NODE_MULTI_WRITER',
    'MULTI_NODE_READER_ONLY',
    'MULTI_NODE_MULTI_WRITER',
    'SINGLE_NODE_SINGLE_WRITER',
    'UNKNOWN',
  ]);
});

it("applies fsGroup according to the driver's policy", () => {
  const once: CsiFsGroupInput = {
    fsGroup: 1,
    policy: 'ReadWriteOnceWithFSType',
    readOnly: false,
    fsType: 'ext4',
    accessModes: ['ReadWriteOnce'],
  };
  const cases: [Partial<CsiFsGroupInput>, boolean][] = [
    [{}, true],
    [{ fsGroup: 0 }, true],
    [{ fsGroup: undefined }, false],
    [{ readOnly: true }, false],
    [{ fsType: '' }, false],
    [{ accessModes: ['ReadWriteMany'] }, false],
    [{ accessModes: [] }, false],
    [{ accessModes: undefined }, true],
    [{ policy: 'File', fsType: '', accessModes: ['ReadWriteMany'] }, true],
    [{ policy: 'File', readOnly: true }, false],
    [{ policy: 'None' }, false],
  ];
  for (const [change, expected] of cases) expect([change, supportsCsiFsGroup({ ...once, ...change })]).toEqual([change, expected]);
});
