import { silentLogger } from '@nodeagent/api';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import { createMetricsRegistry } from '@nodeagent/server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { version } from '../version.js';
import { nodeServer } from './node-server.js';

const serverOf = (kubeletConfiguration: KubeletConfiguration) =>
  nodeServer({
    nodeName: 'n1',
    server: {},
    kubeletConfiguration,
    certDir: '',
    registry: createMetricsRegistry(),
    shownFlags: { port: '0' },
    clock: createVirtualClock(),
    logger: silentLogger,
  });

it.each([true, false])('serves /flagz and /statusz according to the feature gates: %s', async (isOn) => {
  const server = await serverOf({ featureGates: { ComponentFlagz: isOn, ComponentStatusz: isOn } });
  expect(server.flagz?.()).toEqual(isOn ? { port: '0' } : undefined);
  expect(server.statusz).toEqual(isOn ? { binaryVersion: version, emulationVersion: '1.36' } : undefined);
});

it('masks the values of headers in /configz', async () => {
  const { configz } = await serverOf({ staticPodURLHeader: { Authorization: ['Bearer secret'], 'X-Token': ['a', 'b'] }, maxPods: 7 });
  expect(await configz?.()).toMatchObject({
    kind: 'KubeletConfiguration',
    maxPods: 7,
    staticPodURLHeader: { Authorization: ['<masked>'], 'X-Token': ['<masked>'] },
  });
});
