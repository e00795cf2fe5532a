import { expect, it } from 'vitest';
import { savedIn, unsaved } from './saved-first.js';

const saved = { cpus: [undefined, '300m'], devices: ['device0'], exclusiveCpus: '1-2' };

it.each([
  ['the CPU shares of an earlier allocation', { resources: { cpuShares: 2n } }],
  ['the CPU shares of a resize', { resources: { cpuShares: 307n }, sharesBefore: 2n }],
  ['CPU shares that do not change', { resources: { cpuShares: 512n }, sharesBefore: 512n }],
  ['the shared CPUs', { resources: { cpuShares: 2n, cpusetCpus: '0-3' } }],
  ['its exclusive CPUs', { resources: { cpuQuota: -1n, cpusetCpus: '1-2' } }],
  ['a CPU set of the reconciliation', { resources: { cpusetCpus: '0' }, sharesBefore: 2n }],
  ['its device', { resources: {}, devices: [{ hostPath: '/dev/device0' }] }],
])('accepts %s', (_, call) => {
  expect(unsaved({ container: 'u/c', ...call } as never, saved)).toEqual([]);
});

it.each([
  ['shares', { resources: { cpuShares: 512n }, sharesBefore: 2n }, 'its 512 CPU shares are not those of the saved  300m'],
  ['exclusive CPUs', { resources: { cpuQuota: -1n, cpusetCpus: '3' } }, 'its CPUs 3 are not the saved ones 1-2'],
  ['devices', { resources: {}, devices: [{ hostPath: '/dev/device1' }] }, 'its devices device1 are not saved'],
])('finds unsaved %s', (_, call, what) => {
  expect(unsaved({ container: 'u/c', ...call } as never, saved)).toEqual([`u/c gets resources, but ${what}`]);
});

it('finds a container without a saved allocation, unless it only updates it', () => {
  const nothing = { cpus: [], devices: undefined, exclusiveCpus: undefined };
  expect(unsaved({ container: 'u/c', resources: {} }, nothing)).toEqual(['u/c gets resources, but its allocation is not saved']);
  expect(unsaved({ container: 'u/c', resources: {}, sharesBefore: 2n }, nothing)).toEqual([]);
});

it('reads the checkpoints of the device manager and the CPU manager', () => {
  const devices = { Data: { PodDeviceEntries: [{ PodUID: 'u', ContainerName: 'c', DeviceIDs: { '0': ['a'], '1': ['b'] } }] } };
  const cpus = { entries: { u: { c: '1-2' } } };
  const read = (name: string) => savedIn(JSON.stringify(devices), JSON.stringify(cpus), 'u', name);
  expect([read('c'), read('other')]).toEqual([
    { devices: ['a', 'b'], exclusiveCpus: '1-2' },
    { devices: undefined, exclusiveCpus: undefined },
  ]);
  expect(savedIn(undefined, undefined, 'u', 'c')).toEqual({ devices: undefined, exclusiveCpus: undefined });
});
