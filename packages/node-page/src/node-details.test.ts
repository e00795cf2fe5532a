import { expect, it } from 'vitest';
import { nodeDetails } from './node-details.js';
import { runningPod, TestPageAgent } from './test-agent.js';
import { pageAccess } from './viewer.js';

const history = { times: [], values: {} };

it('has the order of eviction, the images that a collection removes and why, and the devices of pods', async () => {
  const agent = new TestPageAgent();
  const claims = [{ name: 'net', resourceClaimName: 'nic-1' }, { name: 'gpu', resourceClaimTemplateName: 'gpu' }, { name: 'late' }];
  const resourceClaimStatuses = [{ name: 'gpu', resourceClaimName: 'web-gpu-x7' }];
  agent.views = [runningPod('web', { resourceClaimStatuses }, { resourceClaims: claims })];
  agent.deviceManager = {
    resources: [{ resource: 'example.com/gpu', isConnected: true, devices: [{ id: 'gpu0', health: 'Healthy' }] }],
    containers: [{ podUID: 'web', containerName: 'main', resource: 'example.com/gpu', devices: { 0: ['gpu0'] } }],
  };
  agent.pressure = {
    conditions: [],
    thresholds: [],
    signal: 'memory.available',
    candidates: [{ namespace: 'default', name: 'hog', evictable: true, reason: 'uses 300Mi of memory' }],
  };
  agent.imageGc = {
    plan: async () => ({
      freedBytes: 9,
      images: [
        { id: 'a', size: 9, action: 'remove', reason: 'TooOld' },
        { id: 'i', size: 1, action: 'keep', reason: 'InUse' },
      ],
    }),
  };
  expect(
    await nodeDetails(agent, {
      version: 'nodeagent 1',
      runtime: 'containerd 2',
      addresses: ['192.0.2.1'],
      history,
      startTime: '2026-01-01T00:00:00Z',
    }),
  ).toEqual({
    version: 'nodeagent 1',
    runtime: 'containerd 2',
    addresses: ['192.0.2.1'],
    bootedAt: Date.UTC(2026, 0, 1),
    history,
    eviction: { signal: 'memory.available', candidates: [{ pod: 'default/hog', evictable: true, reason: 'uses 300Mi of memory' }] },
    images: {
      freedBytes: 9,
      lines: [
        { id: 'a', size: 9, isRemoved: true, reason: 'unused for longer than the maximum age' },
        { id: 'i', name: 'busybox:1', size: 1, isRemoved: false, reason: 'in use' },
      ],
    },
    devices: [
      {
        resource: 'example.com/gpu',
        summary: '1 of 1 device in use',
        state: 'healthy',
        devices: [{ id: 'gpu0', isHealthy: true, user: 'main of default/web' }],
      },
    ],
    drivers: [],
    claims: [
      { claim: 'nic-1', pod: 'default/web', devices: [] },
      { claim: 'web-gpu-x7', pod: 'default/web', devices: [] },
    ],
  });
});

it('omits images that cannot be listed', async () => {
  const agent = new TestPageAgent();
  agent.imageGc = { plan: () => Promise.reject(new Error('the runtime is unreachable')) };
  expect(await nodeDetails(agent, { history })).toEqual({ history, devices: [], drivers: [], claims: [] });
});

it.each<[string[], object]>([
  [['/containerLogs/namespace/pod/container'], { logs: true, exec: false }],
  [['/exec/namespace/pod/container'], { logs: false, exec: true }],
])('lets a viewer with %s do %j', async (allowed, access) => {
  expect(await pageAccess({ isAllowed: async (method, path) => method === 'GET' && allowed.includes(path) })).toEqual(access);
});

it('has no logs and no terminal on a server that only serves the page', async () => {
  expect(await pageAccess(undefined)).toEqual({ logs: false, exec: false });
});
