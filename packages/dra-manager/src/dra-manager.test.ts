import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Metrics, noMetrics, type Pod, type ResourceClaim } from '@nodeagent/api';
import { statusError } from '@nodeagent/plugin-api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeDraCheckpoint } from './checkpoint.js';
import type { DriverClaim } from './claim-info.js';
import type { DeviceHealthStatus } from './device-health.js';
import { createDraManager, type DraManager } from './dra-manager.js';
import type { DraDriverConnection } from './driver-connection.js';
import type { DraManagerOptions } from './options.js';
import { createDraTestDriver } from './test-driver.js';

const driver = 'gpu.example.com';
const services = ['v1.DRAPlugin'];
const { signal } = new AbortController();
const container = { name: 'app', image: 'i', resources: { claims: [{ name: 'gpu' }] } };
const podOf = (uid: string): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers: [container], resourceClaims: [{ name: 'gpu', resourceClaimName: 'c1' }] },
});
const claimOf = (uid: string, reservedFor: string[]): ResourceClaim => ({
  metadata: { name: 'c1', namespace: 'default', uid },
  status: {
    allocation: { devices: { results: [{ request: 'r', driver, pool: 'p', device: 'd' }] } },
    reservedFor: reservedFor.map((each) => ({ resource: 'pods', name: each, uid: each })),
  },
});

let folder: string;
let stateFile: string;
let claim: ResourceClaim;
let active: Pod[];
let isReachable: boolean;
let calls: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dra-'));
  stateFile = join(folder, 'dra_manager_state');
  claim = claimOf('c-uid', ['a', 'b']);
  active = [podOf('a'), podOf('b')];
  isReachable = true;
  calls = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = () => createVirtualClock({ settleIO: () => new Promise((resolve) => setTimeout(resolve, 5)) });
/** Items for one iteration after the other, which ends with the signal too. */
function createQueue<T>() {
  const waiting: T[] = [];
  let isEnded = false;
  let proceed = () => {};
  return {
    push(item: T) {
      waiting.push(item);
      proceed();
    },
    /** Ends the running iteration. */
    end() {
      isEnded = true;
      proceed();
    },
    async *until(own: AbortSignal): AsyncGenerator<T> {
      isEnded = false;
      own.addEventListener('abort', () => proceed());
      while (!isEnded && !own.aborted) {
        const item = waiting.shift();
        if (item !== undefined) yield item;
        else await new Promise<void>((resolve) => (proceed = resolve));
      }
    },
  };
}
const never = (own: AbortSignal) => new Promise<never>((_, reject) => own.addEventListener('abort', () => reject(own.reason)));

function connectionOf(changes: Partial<DraDriverConnection> = {}): DraDriverConnection {
  const results = (claims: readonly DriverClaim[]) => {
    const device = ({ name }: DriverClaim) => ({ poolName: 'p', deviceName: 'd', requestNames: ['r'], cdiDeviceIDs: [`e.com/g=${name}`] });
    return new Map(claims.map((each) => [each.uid, { error: '', devices: [device(each)] }]));
  };
  return {
    async prepare(claims) {
      calls.push('prepare');
      return results(claims);
    },
    async unprepare(claims) {
      calls.push('unprepare');
      return results(claims);
    },
    async ping() {
      if (!isReachable) throw new Error('connection refused');
    },
    ...changes,
  };
}

async function setUp(options: Partial<DraManagerOptions> = {}, changes: Partial<DraDriverConnection> = {}) {
  const manager = createDraManager({
    stateFile,
    nodeName: 'n1',
    claims: { get: async () => claim },
    activePods: () => active,
    connect: () => connectionOf(changes),
    ...options,
  });
  await manager.start();
  await manager.registration.register(driver, '/d.sock', services, signal);
  return manager;
}

const saved = () => decodeDraCheckpoint(readFileSync(stateFile, 'utf8'));

describe('prepareResources', () => {
  it('prepares a claim once for all its pods, and unprepares it with the last one', async () => {
    const manager = await setUp();
    await manager.prepareResources(podOf('a'));
    await manager.prepareResources(podOf('b'));
    expect(manager.getCdiDevices(podOf('a'), container)).toEqual(['e.com/g=c1']);
    expect(saved().map(({ podUIDs }) => [...podUIDs])).toEqual([['a', 'b']]);
    await manager.unprepareResources(podOf('a'));
    expect(calls).toEqual(['prepare']);
    await manager.unprepareResources(podOf('b'));
    expect(calls).toEqual(['prepare', 'unprepare']);
    expect(saved()).toEqual([]);
    await manager.stop();
  });

  it.each([
    ['an error', new Map([['c-uid', { error: 'broken', devices: [] }]]), 'NodePrepareResources failed for ResourceClaim c1: broken'],
    ['no result', new Map(), 'NodePrepareResources skipped 1 ResourceClaims'],
    ['an unknown UID', new Map([['x', { error: '', devices: [] }]]), 'NodePrepareResources returned a result for unknown claim UID x'],
  ])('fails if the driver returns %s, and keeps the reference to the pod', async (_, response, text) => {
    const manager = await setUp({}, { prepare: async () => response });
    await expect(manager.prepareResources(podOf('a'))).rejects.toThrow(`prepare dynamic resources: ${text}`);
    expect(saved().map(({ podUIDs }) => [...podUIDs])).toEqual([['a']]);
    await manager.stop();
  });

  it('saves the reference to the pod before it calls the driver', async () => {
    const seen: string[][] = [];
    const manager = await setUp(
      {},
      {
        async prepare() {
          seen.push(...saved().map(({ podUIDs }) => [...podUIDs]));
          throw new Error('died');
        },
      },
    );
    await expect(manager.prepareResources(podOf('a'))).rejects.toThrow('prepare dynamic resources: NodePrepareResources: died');
    expect(seen).toEqual([['a']]);
    await manager.stop();
  });

  it('gives up a driver that hangs after 45 s', async () => {
    const virtual = clock();
    const times: number[] = [];
    const note = () => void times.push(virtual.monotonic());
    const hang = (own: AbortSignal) => {
      note();
      own.addEventListener('abort', note);
      return never(own);
    };
    const manager = await setUp({ clock: virtual }, { prepare: (_, own) => hang(own) });
    const failed = manager.prepareResources(podOf('a')).catch((error: Error) => error.message);
    expect(await virtual.run(failed)).toContain('did not respond within 45 s');
    const [called = 0, abandoned] = times;
    expect(abandoned).toBe(called + 45_000);
    await manager.stop();
  });

  it('rejects claims that are not for the pod, and keeps no reference', async () => {
    const manager = await setUp();
    claim = claimOf('c-uid', ['b']);
    await expect(manager.prepareResources(podOf('a'))).rejects.toThrow('is not reserved for pod default/a (UID a)');
    expect(manager.hasPreparedResources('a')).toBe(false);
    await manager.stop();
  });

  it('rejects a claim whose predecessor of the same name is still prepared, until that is unprepared', async () => {
    const manager = await setUp();
    await manager.prepareResources(podOf('a'));
    claim = claimOf('new-uid', ['b']);
    await expect(manager.prepareResources(podOf('b'))).rejects.toThrow(
      'has UID new-uid, but a deleted one with UID c-uid is not unprepared yet',
    );
    await manager.unprepareResources(podOf('a'));
    await manager.prepareResources(podOf('b'));
    expect(saved().map(({ claimUID }) => claimUID)).toEqual(['new-uid']);
    await manager.stop();
  });

  it('prepares again after a restart, with the devices of the checkpoint until then', async () => {
    const first = await setUp();
    await first.prepareResources(podOf('a'));
    await first.stop();
    const second = await setUp();
    expect(second.getCdiDevices(podOf('a'), container)).toEqual(['e.com/g=c1']);
    await second.prepareResources(podOf('a'));
    expect(calls).toEqual(['prepare', 'prepare']);
    expect(second.getCdiDevices(podOf('a'), container)).toEqual(['e.com/g=c1']);
    await second.stop();
  });
});

describe('the background', () => {
  it('unprepares claims of a removed pod only once its containers have stopped', async () => {
    const virtual = clock();
    let mayRun = true;
    const manager = await setUp({ clock: virtual, couldHaveRunningContainers: () => mayRun });
    await manager.prepareResources(podOf('a'));
    active = [];
    await virtual.advance(120_000);
    expect(calls).toEqual(['prepare']);
    mayRun = false;
    await virtual.advance(60_000);
    expect(calls).toEqual(['prepare', 'unprepare']);
    await manager.stop();
  });

  it('unprepares claims of inactive pods each minute until it succeeds', async () => {
    const virtual = clock();
    let failures = 1;
    const unprepare: DraDriverConnection['unprepare'] = async (claims) => {
      if (failures-- > 0) throw new Error('died');
      return new Map(claims.map(({ uid }) => [uid, { error: '', devices: [] }]));
    };
    const manager = await setUp({ clock: virtual }, { unprepare });
    await manager.prepareResources(podOf('a'));
    active = [];
    await virtual.advance(60_000);
    expect(manager.hasPreparedResources('a')).toBe(true);
    await virtual.advance(60_000);
    expect(manager.hasPreparedResources('a')).toBe(false);
    await manager.stop();
  });

  it('deletes ResourceSlices at start, and of a driver that is disconnected for 30 s', async () => {
    const virtual = clock();
    const deleted: string[] = [];
    const resourceSlices = { deleteCollection: async ({ fieldSelector }: { fieldSelector: string }) => void deleted.push(fieldSelector) };
    const manager = await setUp({ clock: virtual, resourceSlices });
    expect(deleted).toEqual(['spec.nodeName=n1']);
    isReachable = false;
    await virtual.advance(34_000);
    expect(deleted.length).toBe(1);
    await virtual.advance(2_000);
    expect(deleted.slice(1)).toEqual([`spec.driver=${driver},spec.nodeName=n1`]);
    await manager.stop();
  });
});

it('writes the checkpoint in the format of the kubelet', async () => {
  const manager = await setUp();
  await manager.prepareResources(podOf('a'));
  const { Data, Checksum } = JSON.parse(readFileSync(stateFile, 'utf8'));
  expect(Checksum).toBe(crc32(Data));
  expect(Data).toBe(
    '{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","Entries":[{"ClaimUID":"c-uid","ClaimName":"c1","Namespace":"default","PodUIDs":{"a":{}},"DriverState":{"gpu.example.com":{"Devices":[{"PoolName":"p","DeviceName":"d","ShareID":null,"RequestNames":["r"],"CDIDeviceIDs":["e.com/g=c1"]}]}}}]}',
  );
  await manager.stop();
});

describe('a claim that pods share', () => {
  it('is prepared again for a pod that arrives while the last one is being unprepared', async () => {
    let finish = () => {};
    const unprepare: DraDriverConnection['unprepare'] = async (claims) => {
      calls.push('unprepare');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return new Map(claims.map(({ uid }) => [uid, { error: '', devices: [] }]));
    };
    const manager = await setUp({}, { unprepare });
    await manager.prepareResources(podOf('a'));
    const unprepared = manager.unprepareResources(podOf('a'));
    const prepared = manager.prepareResources(podOf('b'));
    await expect.poll(() => calls).toEqual(['prepare', 'unprepare']);
    finish();
    await Promise.all([unprepared, prepared]);
    expect(calls).toEqual(['prepare', 'unprepare', 'prepare']);
    expect(saved().map(({ podUIDs }) => [...podUIDs])).toEqual([['b']]);
    await manager.stop();
  });

  it('gets no reference to a pod whose preparation was cancelled while it waited for that of another one', async () => {
    let answer: (() => void) | undefined;
    const manager = await setUp(
      {},
      {
        async prepare() {
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
          return new Map([['c-uid', { error: '', devices: [] }]]);
        },
      },
    );
    const first = manager.prepareResources(podOf('a'));
    await expect.poll(() => answer).toBeDefined();
    const cancelled = new AbortController();
    const second = manager.prepareResources(podOf('b'), cancelled.signal);
    const refused = expect(second).rejects.toThrow('the agent stops');
    cancelled.abort(new Error('the agent stops'));
    answer?.();
    await first;
    await refused;
    expect(saved().map(({ podUIDs }) => [...podUIDs])).toEqual([['a']]);
    await manager.stop();
  });

  it('is prepared again after an unprepare that failed', async () => {
    const manager = await setUp(
      {},
      {
        async unprepare() {
          throw new Error('died');
        },
      },
    );
    await manager.prepareResources(podOf('a'));
    await expect(manager.unprepareResources(podOf('a'))).rejects.toThrow('unprepare dynamic resources: NodeUnprepareResources: died');
    await manager.prepareResources(podOf('b'));
    expect(calls).toEqual(['prepare', 'prepare']);
    await manager.stop();
  });
});

it('unprepares with the checkpoint of an agent that was killed before the driver responded, although the claim is deleted', async () => {
  const killed = await setUp({}, { prepare: (_, own) => never(own) });
  const abort = new AbortController();
  const prepared = killed.prepareResources(podOf('a'), abort.signal).catch(() => {});
  await expect.poll(() => existsSync(stateFile)).toBe(true);
  const second = await setUp({
    claims: {
      get: async () => {
        throw new Error('not found');
      },
    },
  });
  await second.unprepareResources(podOf('a'));
  expect(calls).toEqual(['unprepare']);
  expect(saved()).toEqual([]);
  abort.abort();
  await Promise.all([prepared, killed.stop(), second.stop()]);
});

it('renames a corrupt checkpoint, and starts without it the next time', async () => {
  writeFileSync(stateFile, '{"Data":"{}","Checksum":1}');
  const options = { stateFile, nodeName: 'n1', claims: { get: async () => claim }, activePods: () => active };
  const manager = createDraManager(options);
  await expect(manager.start()).rejects.toMatchObject({ code: 'InvalidCheckpoint' });
  await manager.start();
  expect(manager.explain().claims).toEqual([]);
  expect(existsSync(`${stateFile}.broken`)).toBe(true);
  await manager.stop();
});

it("measures operations and calls with the kubelet's metrics", async () => {
  const observed: [string, unknown][] = [];
  const histogram: Metrics['histogram'] = ({ name }) => ({ observe: (_, labels) => void observed.push([name, labels]) });
  const manager = await setUp(
    { metrics: { ...noMetrics, histogram } },
    {
      async prepare() {
        throw statusError('Internal', 'broken');
      },
    },
  );
  await expect(manager.prepareResources(podOf('a'))).rejects.toMatchObject({ code: 'DraPrepareFailed', retryable: true });
  expect(observed).toEqual([
    ['dra_grpc_operations_duration_seconds', { driver_name: driver, method_name: 'NodePrepareResources', grpc_status_code: 'Internal' }],
    ['dra_operations_duration_seconds', { operation_name: 'PrepareResources', is_error: 'true' }],
  ]);
  await manager.stop();
});

describe('the health of devices', () => {
  const report = (health: DeviceHealthStatus) => [{ poolName: 'p', deviceName: 'd', health, message: '', timeoutMs: 30_000 }];
  const healthOf = (manager: DraManager) => manager.resourceHealth(podOf('a')).app?.[0]?.resources?.[0]?.health;

  it('is unknown while the driver does not report it, then follows its reports, and is forgotten when they end', async () => {
    const time = clock();
    const reports = createQueue<ReturnType<typeof report>>();
    const changed: string[][] = [];
    const healthChanged = (uids: readonly string[]) => void changed.push([...uids]);
    let streams = 0;
    const watchHealth = (own: AbortSignal) => {
      streams += 1;
      return reports.until(own);
    };
    const manager = await setUp({ clock: time, healthChanged }, { watchHealth });
    await manager.prepareResources(podOf('a'));
    expect(manager.resourceHealth(podOf('a'))).toEqual({
      app: [{ name: 'claim:gpu', resources: [{ resourceID: 'e.com/g=c1', health: 'Unknown' }] }],
    });
    for (const health of ['Healthy', 'Healthy', 'Unhealthy'] as const) reports.push(report(health));
    await time.advance(1);
    expect([healthOf(manager), changed, streams]).toEqual(['Unhealthy', [['a'], ['a']], 1]);
    expect(Object.values(manager.explain().claims[0]?.drivers ?? {})).toMatchObject([
      [{ deviceName: 'd', health: 'Unhealthy', message: '' }],
    ]);
    await time.advance(30_001);
    expect(healthOf(manager), 'not reported for 30 s').toBe('Unknown');
    reports.push(report('Unhealthy'));
    await time.advance(1);
    expect(healthOf(manager)).toBe('Unhealthy');
    reports.end();
    await time.advance(1);
    expect(healthOf(manager)).toBe('Unknown');
    await time.advance(5_000);
    expect(streams).toBe(2);
    await manager.stop();
  });

  it('is kept for the next start, and not taken from a damaged file', async () => {
    const reports = createQueue<ReturnType<typeof report>>();
    reports.push(report('Unhealthy'));
    const first = await setUp({}, { watchHealth: reports.until });
    await first.prepareResources(podOf('a'));
    await expect.poll(() => healthOf(first)).toBe('Unhealthy');
    const file = join(folder, 'dra_health_state');
    await expect.poll(() => existsSync(file)).toBe(true);
    const text = readFileSync(file, 'utf8');
    await first.stop();
    writeFileSync(file, text);
    const second = await setUp();
    expect(healthOf(second)).toBe('Unhealthy');
    await second.stop();
    writeFileSync(file, '{');
    const third = await setUp();
    expect(healthOf(third)).toBe('Unknown');
    await third.stop();
  });

  it('is asked for once a minute from a driver that does not have the service', async () => {
    const time = clock();
    let streams = 0;
    const watchHealth = () => {
      streams += 1;
      throw statusError('Unimplemented', 'unknown service');
    };
    const manager = await setUp({ clock: time }, { watchHealth });
    await time.advance(120_500);
    expect(streams).toBe(3);
    await manager.stop();
  });

  it('comes from the socket of a driver', async () => {
    const socketPath = join(folder, 'd.sock');
    const plugin = createDraTestDriver({ driver, socketPath, health: { c1: 'HEALTHY' } });
    await plugin.start();
    const manager = createDraManager({ stateFile, nodeName: 'n1', claims: { get: async () => claim }, activePods: () => active });
    await manager.start();
    await manager.registration.register(driver, socketPath, services, signal);
    await manager.prepareResources(podOf('a'));
    await expect.poll(() => healthOf(manager)).toBe('Healthy');
    plugin.setHealth({ c1: 'UNHEALTHY' });
    await expect.poll(() => healthOf(manager)).toBe('Unhealthy');
    await plugin.stop();
    await expect.poll(() => healthOf(manager)).toBe('Unknown');
    await manager.stop();
  });
});

describe('a driver on a socket', () => {
  it.each(['v1.DRAPlugin', 'v1beta1.DRAPlugin'])('is called with %s, and may die, hang up or skip claims', async (service) => {
    const socketPath = join(folder, 'd.sock');
    const plugin = createDraTestDriver({ driver, socketPath });
    await plugin.start();
    const options = { stateFile, nodeName: 'n1', claims: { get: async () => claim }, activePods: () => active };
    const manager = createDraManager(options);
    await manager.start();
    await manager.registration.register(driver, socketPath, [service], signal);
    plugin.fail('prepare', { crash: true });
    await expect(manager.prepareResources(podOf('a'))).rejects.toThrow('prepare dynamic resources: NodePrepareResources:');
    await plugin.start();
    plugin.fail('prepare', { empty: true });
    await expect(manager.prepareResources(podOf('a'))).rejects.toThrow('NodePrepareResources skipped 1 ResourceClaims');
    await manager.prepareResources(podOf('a'));
    expect(plugin.calls.length).toBe(3);
    expect(manager.getDynamicResources(podOf('a'), container)[0]?.claimResources[0]?.deviceName).toBe('c1');
    await manager.stop();
    await plugin.stop();
  });

  it('is called on its new socket after a restart', async () => {
    const [old, current] = ['old', 'new'].map((name) => createDraTestDriver({ driver, socketPath: join(folder, `${name}.sock`) }));
    await Promise.all([old?.start(), current?.start()]);
    const manager = createDraManager({ stateFile, nodeName: 'n1', claims: { get: async () => claim }, activePods: () => active });
    await manager.start();
    await manager.registration.register(driver, join(folder, 'old.sock'), services, signal);
    await manager.prepareResources(podOf('a'));
    await manager.registration.register(driver, join(folder, 'new.sock'), services, signal);
    await manager.registration.deregister(driver, join(folder, 'old.sock'), signal);
    await old?.stop();
    await manager.unprepareResources(podOf('a'));
    expect(current?.calls).toEqual([{ method: 'unprepare', claims: ['c-uid'] }]);
    await manager.stop();
    await current?.stop();
  });
});
