import { silentLogger } from '@nodeagent/api';
import { createMetricsRegistry } from '@nodeagent/server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { version } from '../version.js';
import { nodeServer } from './node-server.js';

it.each([true, false])('serves /flagz and /statusz according to the feature gates: %s', async (isOn) => {
  const server = await nodeServer({
    nodeName: 'n1',
    options: { healthzAddress: '127.0.0.1', anonymousAuth: false, tokenWebhook: false, authorizationMode: 'AlwaysAllow' },
    configured: {},
    certificates: { certDir: '' },
    registry: createMetricsRegistry(),
    kubeletConfiguration: { featureGates: { ComponentFlagz: isOn, ComponentStatusz: isOn } },
    shownFlags: { port: '0' },
    clock: createVirtualClock(),
    logger: silentLogger,
  });
  expect(server.flagz?.()).toEqual(isOn ? { port: '0' } : undefined);
  expect(server.statusz).toEqual(isOn ? { binaryVersion: version, emulationVersion: '1.36' } : undefined);
});
