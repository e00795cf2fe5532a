import { createRecordingLogger } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { AllocateResponse } from './pod-devices.js';
import { deviceRunOptions } from './run-options.js';

const empty: AllocateResponse = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };
const record = (resource: string, response: Partial<AllocateResponse>) => ({
  podUID: 'u',
  containerName: 'c',
  resource,
  devices: {},
  response: { ...empty, ...response },
});

it('merges the responses of all resources: the first of two values counts, and CDI names are listed once', () => {
  const logger = createRecordingLogger();
  const device = (hostPath: string) => ({ containerPath: '/dev/a', hostPath, permissions: 'mrw' });
  const mount = { containerPath: '/lib', hostPath: '/opt/lib', readOnly: true };
  const merged = deviceRunOptions(
    [
      record('v/a', { envs: { A: '1' }, devices: [device('/dev/1')], mounts: [mount], cdiDevices: [{ name: 'v/a=1' }] }),
      record('v/b', {
        envs: { A: '2', B: '3' },
        devices: [device('/dev/2')],
        mounts: [mount],
        annotations: { k: 'v' },
        cdiDevices: [{ name: 'v/a=1' }],
      }),
    ],
    logger,
  );
  expect(merged).toEqual({
    environment: { A: '1', B: '3' },
    devices: [{ containerPath: '/dev/a', hostPath: '/dev/1', permissions: 'mrw' }],
    mounts: [{ containerPath: '/lib', hostPath: '/opt/lib', readonly: true }],
    annotations: { k: 'v' },
    cdiDevices: [{ name: 'v/a=1' }],
  });
  expect(logger.messages('error')).toEqual([
    'conflicting variable of two devices, using the first',
    'conflicting device of two devices, using the first',
  ]);
});
