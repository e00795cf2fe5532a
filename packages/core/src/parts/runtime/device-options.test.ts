import type { Container, Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { combineDeviceOptions, mergeDeviceOptions } from './device-options.js';

const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [] } };
const container: Container = { name: 'c', image: 'i' };
const device = (hostPath: string) => ({ containerPath: '/dev/gpu', hostPath, permissions: 'rw' });

it('merges devices of two sources; the first wins', () => {
  expect(
    mergeDeviceOptions(
      { devices: [device('/dev/a')], cdiDevices: [{ name: 'x.com/gpu=a' }], environment: { A: '1' } },
      { devices: [device('/dev/b')], cdiDevices: [{ name: 'x.com/gpu=a' }, { name: 'x.com/gpu=b' }], environment: { A: '2', B: '2' } },
    ),
  ).toEqual({
    devices: [device('/dev/a')],
    cdiDevices: [{ name: 'x.com/gpu=a' }, { name: 'x.com/gpu=b' }],
    mounts: [],
    environment: { A: '1', B: '2' },
    annotations: {},
  });
});

it('asks each port, and needs none', async () => {
  const cdi = (name: string) => async () => ({ cdiDevices: [{ name }] });
  const combined = combineDeviceOptions([undefined, cdi('a'), cdi('b')]);
  expect((await combined?.(pod, container))?.cdiDevices).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect(combineDeviceOptions([undefined])).toBeUndefined();
});
