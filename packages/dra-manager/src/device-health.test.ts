import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { ClaimInfo } from './claim-info.js';
import { containerHealth, podsWithDevices } from './container-health.js';
import { type DeviceHealth, type DeviceHealthStatus, healthAt, reconcileHealth, shortMessage } from './device-health.js';
import { decodeHealth, encodeHealth } from './health-checkpoint.js';

const reported = (deviceName: string, health: DeviceHealthStatus, changes: object = {}) => ({
  ...{ poolName: 'pool', deviceName, health, message: '', timeoutMs: 30_000 },
  ...changes,
});
const known = (...devices: DeviceHealth[]) => new Map(devices.map((each) => [`pool/${each.deviceName}`, each]));

describe('reconcileHealth', () => {
  const before = known({ ...reported('a', 'Healthy'), reportedAt: 0 });

  it.each([
    ['the health', reported('a', 'Unhealthy')],
    ['the message', reported('a', 'Healthy', { message: 'hot' })],
    ['the timeout', reported('a', 'Healthy', { timeoutMs: 1_000 })],
    ['a new device', reported('b', 'Unknown')],
  ])('finds a change of %s', (_, device) => {
    expect(reconcileHealth(before, [device], 5).changed).toEqual([{ ...device, reportedAt: 5 }]);
  });

  it('renews the time of a device without a change', () => {
    const { devices, changed } = reconcileHealth(before, [reported('a', 'Healthy')], 7);
    expect(changed).toEqual([]);
    expect(devices).toEqual(known({ ...reported('a', 'Healthy'), reportedAt: 7 }));
  });

  it('keeps a device that is not reported until it times out, then changes it once', () => {
    expect(reconcileHealth(before, [], 30_000)).toEqual({ devices: before, changed: [] });
    const { devices, changed } = reconcileHealth(before, [], 30_001);
    expect(changed).toEqual([{ ...reported('a', 'Unknown'), reportedAt: 30_001 }]);
    expect(reconcileHealth(devices, [], 90_000).changed).toEqual([]);
  });
});

it('has an unknown health without a report that is still valid', () => {
  const device = { ...reported('a', 'Unhealthy', { message: 'hot', timeoutMs: 1_000 }), reportedAt: 0 };
  expect(healthAt(device, 1_000)).toEqual({ health: 'Unhealthy', message: 'hot' });
  expect(healthAt(device, 1_001)).toEqual({ health: 'Unknown', message: '' });
  expect(healthAt(undefined, 0)).toEqual({ health: 'Unknown', message: '' });
});

it('shortens a message to 1024 bytes, between characters', () => {
  expect(shortMessage('x'.repeat(1024))).toHaveLength(1024);
  expect(shortMessage('x'.repeat(1025))).toBe(`${'x'.repeat(1021)}...`);
  expect(shortMessage('é'.repeat(600))).toBe(`${'é'.repeat(510)}...`);
});

describe('the checkpoint of health', () => {
  const drivers = new Map([['gpu.example.com', known({ ...reported('a', 'Unhealthy', { message: 'hot' }), reportedAt: 1_000 })]]);

  it("has the kubelet's form", () => {
    expect(JSON.parse(encodeHealth(drivers))).toEqual({
      'gpu.example.com': {
        Devices: {
          'pool/a': {
            ...{ PoolName: 'pool', DeviceName: 'a', Health: 'Unhealthy', Message: 'hot' },
            LastUpdated: '1970-01-01T00:00:01.000Z',
            HealthCheckTimeout: 30_000_000_000,
          },
        },
      },
    });
    expect(decodeHealth(encodeHealth(drivers))).toEqual(drivers);
  });

  it('reads a file of a kubelet without timeouts, with nanoseconds and a time zone', () => {
    const device = {
      PoolName: 'pool',
      DeviceName: 'a',
      Health: 'Healthy',
      LastUpdated: '1970-01-01T01:00:02.123456789+01:00',
      HealthCheckTimeout: 0,
    };
    expect(decodeHealth(JSON.stringify({ d: { Devices: { 'pool/a': device } }, empty: { Devices: null } }))).toEqual(
      new Map([
        ['d', known({ ...reported('a', 'Healthy'), reportedAt: 2_123 })],
        ['empty', new Map()],
      ]),
    );
  });

  it.each(['[]', '{"d":1}', '{"d":{"Devices":[]}}', '{"d":{"Devices":{"a":{"PoolName":"p"}}}}', '{'])('rejects %s', (text) => {
    expect(() => decodeHealth(text)).toThrow();
  });
});

it('finds the pods of claims with a device of the driver, each once', () => {
  const claim = (podUIDs: string[], driver: string, deviceName: string): ClaimInfo => ({
    ...{ claimUID: 'c', claimName: 'c', namespace: 'default', podUIDs: new Set(podUIDs) },
    drivers: { [driver]: [{ poolName: 'pool', deviceName, requestNames: [], cdiDeviceIDs: [] }] },
  });
  const claims = [claim(['u1', 'u2'], 'gpu', 'a'), claim(['u2'], 'gpu', 'a'), claim(['u3'], 'gpu', 'b'), claim(['u4'], 'nic', 'a')];
  expect(podsWithDevices(claims, 'gpu', [{ poolName: 'pool', deviceName: 'a' }])).toEqual(['u1', 'u2']);
});

describe('containerHealth', () => {
  const device = (deviceName: string, requestNames: string[], cdiDeviceIDs: string[]) => ({
    poolName: 'pool',
    deviceName,
    requestNames,
    cdiDeviceIDs,
  });
  const info: ClaimInfo = {
    ...{ claimUID: 'c1', claimName: 'gpu-x7', namespace: 'default', podUIDs: new Set(['u1']) },
    drivers: {
      'gpu.example.com': [
        device('a', ['big'], ['e.com/gpu=a', 'e.com/all=1']),
        device('b', ['small'], []),
        device('c', [], ['e.com/gpu=a']),
      ],
    },
  };
  const pod: Pod = {
    spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] },
    status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'gpu-x7' }] },
  };
  const healthOf = (_driver: string, _pool: string, name: string) =>
    name === 'a' ? { health: 'Unhealthy' as const, message: 'hot' } : { health: 'Unknown' as const, message: '' };
  const of = (claims: { name: string; request?: string }[], claimOf: (name: string) => ClaimInfo | undefined = () => info) =>
    containerHealth(pod, { name: 'main', resources: { claims } }, claimOf, healthOf);

  it('names devices by their first CDI id, else by driver, pool and name, each once', () => {
    expect(of([{ name: 'gpu' }])).toEqual([
      {
        name: 'claim:gpu',
        resources: [
          { resourceID: 'e.com/gpu=a', health: 'Unhealthy', message: 'hot' },
          { resourceID: 'gpu.example.com/pool/b', health: 'Unknown' },
        ],
      },
    ]);
  });

  it('has the devices of a request, or of its alternative', () => {
    expect(of([{ name: 'gpu', request: 'small/two' }])).toEqual([
      {
        name: 'claim:gpu/small/two',
        resources: [
          { resourceID: 'gpu.example.com/pool/b', health: 'Unknown' },
          { resourceID: 'e.com/gpu=a', health: 'Unknown' },
        ],
      },
    ]);
  });

  it.each([
    ['another claim', [{ name: 'nic' }], () => info],
    ['a claim that is not prepared', [{ name: 'gpu' }], () => undefined],
    ['a claim without devices', [{ name: 'gpu' }], () => ({ ...info, drivers: {} })],
  ])('has nothing of %s', (_, claims, claimOf) => {
    expect(of(claims, claimOf)).toEqual([]);
  });
});
