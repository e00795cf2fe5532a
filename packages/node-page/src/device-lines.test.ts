import { describe, expect, it } from 'vitest';
import { claimLines, driverLines, dynamicResourcesProblem } from './claim-lines.js';
import { deviceProblem, deviceResourceLines } from './device-lines.js';
import { nodeLine } from './node-line.js';
import type { PageDevices } from './options.js';
import { runningPod, TestPageAgent } from './test-agent.js';

const gpus = (...devices: [id: string, health: string][]) => ({
  resource: 'example.com/gpu',
  isConnected: true,
  devices: devices.map(([id, health]) => ({ id, health })),
});

it('lists devices that are in use or unhealthy, and counts the others', () => {
  const resource = gpus(['a', 'Healthy'], ['b', 'Healthy'], ['c', 'Unhealthy'], ['d', 'Unhealthy']);
  const containers: PageDevices['containers'] = [
    { podUID: 'web', containerName: 'main', resource: 'example.com/gpu', devices: { 0: ['a'], 1: ['a', 'c'] } },
    { podUID: 'web', containerName: 'main', resource: 'example.com/nic', devices: { 0: ['b'] } },
  ];
  expect(deviceResourceLines({ resources: [resource], containers }, [runningPod('web')]).slice(0, 1)).toEqual([
    {
      resource: 'example.com/gpu',
      summary: '2 of 4 devices in use, 2 unhealthy',
      state: 'unhealthy',
      devices: [
        { id: 'a', isHealthy: true, user: 'main of default/web' },
        { id: 'c', isHealthy: false, user: 'main of default/web' },
        { id: 'd', isHealthy: false },
      ],
    },
  ]);
});

it.each([
  [gpus(['a', 'Healthy']), undefined],
  [gpus(), undefined],
  [{ ...gpus(['a', 'Unhealthy']), isConnected: false }, 'the plugin of example.com/gpu is not connected'],
  [gpus(['a', 'Unhealthy']), 'a of example.com/gpu is unhealthy'],
  [gpus(...['a', 'b', 'c', 'd'].map((id): [string, string] => [id, 'Unhealthy'])), 'a, b, c, … of example.com/gpu are unhealthy'],
])('names what is wrong with a resource: %j', (resource, problem) => {
  expect(deviceProblem(resource)).toBe(problem);
});

it('keeps the devices that containers have before the plugin registers, with each container and the uid of a removed pod', () => {
  const held = (containerName: string) => ({ podUID: 'u1', containerName, resource: 'example.com/gpu', devices: { 0: ['a'] } });
  const lines = deviceResourceLines({ resources: [], containers: [held('init'), held('main')] }, []);
  expect(lines).toEqual([
    {
      resource: 'example.com/gpu',
      summary: '1 of 1 device in use',
      state: 'not connected',
      devices: [{ id: 'a', isHealthy: true, user: 'init of u1, main of u1' }],
    },
  ]);
});

describe('claimLines', () => {
  const resourceClaims = [
    { name: 'gpu', resourceClaimName: 'gpu-1' },
    { name: 'nic', resourceClaimName: 'nic-1' },
  ];
  const pods = (phase: string) => [runningPod('web', { phase }, { resourceClaims })];
  const claim = { namespace: 'default', claimName: 'gpu-1', podUIDs: ['web'], isPrepared: true };
  const drivers = { 'gpu.example.com': [{ poolName: 'node-1', deviceName: 'gpu-0' }] };
  const devices = ['gpu-0 of pool node-1 (gpu.example.com)'];

  it('has the prepared devices of claims, also of those that no driver has seen', () => {
    const claims = [
      { ...claim, drivers },
      { ...claim, namespace: 'other', drivers: {} },
    ];
    expect(claimLines(pods('Running'), { drivers: [], claims })).toEqual([
      { claim: 'gpu-1', pod: 'default/web', isPrepared: true, devices },
      { claim: 'nic-1', pod: 'default/web', isPrepared: false, devices: [] },
    ]);
  });

  it('counts a claim with devices of the checkpoint as prepared', () => {
    const [line] = claimLines(pods('Running'), { drivers: [], claims: [{ ...claim, isPrepared: false, drivers }] });
    expect(line).toEqual({ claim: 'gpu-1', pod: 'default/web', isPrepared: true, devices });
  });

  it('names the devices that their driver reports as unhealthy', () => {
    const device = { poolName: 'node-1', deviceName: 'gpu-0' };
    const line = (health: 'Healthy' | 'Unhealthy' | 'Unknown', message = '') => {
      const claims = [{ ...claim, drivers: { 'gpu.example.com': [{ ...device, health, message }] } }];
      const { devices: [text] = [], isUnhealthy } = claimLines(pods('Running'), { drivers: [], claims })[0] ?? {};
      return [text, isUnhealthy];
    };
    expect(line('Unhealthy', 'too hot')).toEqual([`${devices[0]}, unhealthy: too hot`, true]);
    expect(line('Unhealthy')).toEqual([`${devices[0]}, unhealthy`, true]);
    for (const health of ['Healthy', 'Unknown'] as const) expect(line(health)).toEqual([devices[0], undefined]);
  });

  it('has no state of the claims of a pod that has ended', () => {
    expect(claimLines(pods('Succeeded'), { drivers: [], claims: [] })[0]).toEqual({ claim: 'gpu-1', pod: 'default/web', devices: [] });
  });
});

it('counts a driver as connected if one of its instances is', () => {
  const instance = (driver: string, isConnected: boolean) => ({ driver, isConnected });
  expect(driverLines({ drivers: [instance('gpu', false), instance('gpu', true), instance('nic', false)], claims: [] })).toEqual([
    { driver: 'gpu', isConnected: true },
    { driver: 'nic', isConnected: false },
  ]);
});

it('names drivers that are away and unhealthy devices of claims, each device once', () => {
  const device = (deviceName: string, health: 'Healthy' | 'Unhealthy' | 'Unknown') => ({ poolName: 'p', deviceName, health });
  const claim = (...devices: ReturnType<typeof device>[]) => ({
    ...{ namespace: 'default', claimName: 'c', podUIDs: [], isPrepared: true },
    drivers: { 'gpu.example.com': devices, 'nic.example.com': [] },
  });
  const drivers = [{ driver: 'gpu.example.com', isConnected: true }];
  const healthy = { drivers, claims: [claim(device('a', 'Healthy'), device('b', 'Unknown'))] };
  expect(dynamicResourcesProblem(healthy)).toBeUndefined();
  const claims = [claim(device('a', 'Unhealthy')), claim(device('a', 'Unhealthy'), device('c', 'Unhealthy'))];
  expect(dynamicResourcesProblem({ drivers: [...drivers, { driver: 'nic', isConnected: false }], claims })).toBe(
    'nic not connected; a, c of gpu.example.com are unhealthy',
  );
});

it('counts an unhealthy device and a driver that is away as a failure of the node', () => {
  const agent = new TestPageAgent();
  const conditions = () => nodeLine({ nodeName: 'n1' }, agent, []).conditions.slice(1);
  expect(conditions()).toEqual([]);
  agent.deviceManager = { resources: [gpus(['a', 'Healthy'])], containers: [] };
  agent.draManager = { drivers: [{ driver: 'gpu.example.com', isConnected: true }], claims: [] };
  expect(conditions()).toEqual([
    { name: 'Devices', level: 'ok', text: 'healthy' },
    { name: 'DRA drivers', level: 'ok', text: 'connected' },
  ]);
  agent.deviceManager = { resources: [gpus(['a', 'Unhealthy'])], containers: [] };
  agent.draManager = { drivers: [{ driver: 'gpu.example.com', isConnected: false }], claims: [] };
  expect(conditions()).toEqual([
    { name: 'Devices', level: 'bad', text: 'a of example.com/gpu is unhealthy' },
    { name: 'DRA drivers', level: 'bad', text: 'gpu.example.com not connected' },
  ]);
  expect(nodeLine({ nodeName: 'n1' }, agent, []).verdict).toEqual({ level: 'bad', text: 'Devices: a of example.com/gpu is unhealthy' });
});
