import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  apiStatusError,
  type CSIDriver,
  type CSINode,
  type Informer,
  type KubeObject,
  type Node,
  type ObjectChange,
  type ObjectKey,
  type VolumeSpec,
} from '@nodeagent/api';
import { type CsiVolumeCapability, type GrpcStatus, statusError } from '@nodeagent/plugin-api';
import { buildPod, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallCsiNode, CsiMethod } from './calls.js';
import { createCsi } from './csi.js';

const { signal } = new AbortController();
const spec: VolumeSpec = {
  persistentVolume: { metadata: { name: 'pv' }, spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'v' } } },
  readOnly: false,
};
const pod = buildPod({ name: 'web', uid: 'u1' });
const setUpOptions = { isRemount: false, reconstructed: false, signal };

function tempRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'csi-plugin-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** CSIDriver objects that the test sets. */
function driverObjects(initial?: CSIDriver['spec']) {
  const listeners = new Set<(change: ObjectChange<CSIDriver> | undefined) => void>();
  let current = initial;
  const informer: Informer<CSIDriver> & { hasSynced: boolean } = {
    hasSynced: true,
    list: () => [],
    get: () => (current === undefined ? undefined : { spec: current }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: async () => {},
    stop: async () => {},
  };
  const notify = () => {
    for (const listener of [...listeners]) listener(undefined);
  };
  return {
    informer,
    listeners,
    set(next: CSIDriver['spec'] | undefined) {
      current = next;
      notify();
    },
    sync() {
      informer.hasSynced = true;
      notify();
    },
  };
}

function objects<T extends KubeObject>(...initial: T[]) {
  const kept = new Map(initial.map((object) => [object.metadata?.name ?? '', object]));
  const put = async (object: T) => {
    kept.set(object.metadata?.name ?? '', object);
    return object;
  };
  return {
    kept,
    async get({ name }: ObjectKey) {
      const object = kept.get(name);
      if (object === undefined) throw apiStatusError({ code: 404, reason: 'NotFound', message: 'not found' });
      return object;
    },
    create: put,
    update: put,
    delete: async ({ name }: ObjectKey) => void kept.delete(name),
  };
}

function setUp({ driverSpec, withNode = false }: { driverSpec?: CSIDriver['spec']; withNode?: boolean } = {}) {
  const clock = createVirtualClock();
  const root = tempRoot();
  const calls: CsiMethod[] = [];
  const requests: { volumeCapability?: CsiVolumeCapability }[] = [];
  const faults = new Map<CsiMethod, (signal: AbortSignal) => Promise<never>>();
  const mounts = new Set<string>();
  /** Paths that stay mounted even if the driver unmounts them. */
  const stuck = new Set<string>();
  const answers = { maxVolumesPerNode: 3n };
  const callNode: CallCsiNode = async (_driver, method, request, callSignal) => {
    calls.push(method);
    requests.push(request as { volumeCapability?: CsiVolumeCapability });
    await faults.get(method)?.(callSignal);
    const given = request as { targetPath?: string };
    if (method === 'nodePublishVolume') mounts.add(given.targetPath ?? '');
    if (method === 'nodeUnpublishVolume') mounts.delete(given.targetPath ?? '');
    const response = {
      nodeGetInfo: { nodeId: 'i-1', ...answers },
      nodeGetCapabilities: { capabilities: [{ rpc: { type: 'STAGE_UNSTAGE_VOLUME' } }, { rpc: { type: 'GET_VOLUME_STATS' } }] },
      nodeGetVolumeStats: { usage: [] },
    }[method as string];
    return (response ?? {}) as never;
  };
  const drivers = driverObjects(driverSpec);
  const nodes = objects<Node>({ metadata: { name: 'n', uid: 'n1' } });
  const csiNodes = objects<CSINode>();
  const csi = createCsi({
    rootDir: root,
    nodeName: 'n',
    isMountPoint: async (path) => mounts.has(path) || stuck.has(path),
    csiDrivers: drivers.informer,
    ...(withNode ? { nodes, csiNodes } : {}),
    callNode,
    clock,
    random: () => 0,
  });
  onTestFinished(() => csi.stop());
  const stagePath = csi.plugin.deviceMountable?.deviceMounter().deviceMountPath(spec) ?? '';
  return {
    clock,
    root,
    calls,
    faults,
    mounts,
    stuck,
    answers,
    requests,
    drivers,
    csiNodes,
    csi,
    stagePath,
    register: () => csi.registration.register('d', '/d.sock', ['1.0.0'], signal),
    stage: async () => csi.plugin.deviceMountable?.deviceMounter().mountDevice(spec, '', stagePath, { signal }),
    publish: async (options = {}) => (await csi.plugin.mounter(spec, pod)).setUp({ ...setUpOptions, ...options }),
    unpublish: async () => (await csi.plugin.unmounter('pv', 'u1')).tearDown(signal),
  };
}

const hang = (callSignal: AbortSignal) =>
  new Promise<never>((_, reject) => callSignal.addEventListener('abort', () => reject(callSignal.reason), { once: true }));
const answer = (status: GrpcStatus) => () => Promise.reject(statusError(status, 'no'));

describe('registration of CSI drivers', () => {
  it('refuses a driver whose name the API refuses', async () => {
    const { csi } = setUp();
    for (const name of ['../../etc', 'a/b', '..', '', `${'a'.repeat(64)}`, 'a_b', 'a\nb']) {
      expect(() => csi.registration.validate(name, '/d.sock', ['1.0.0'])).toThrow('invalid driver name');
      await expect(csi.registration.register(name, '/d.sock', ['1.0.0'], signal)).rejects.toMatchObject({ code: 'CsiDriverNameInvalid' });
    }
    expect(() => csi.registration.validate('CSI.example.com', '/d.sock', ['1.0.0'])).not.toThrow();
  });

  it('waits two minutes for NodeGetInfo, and unregisters the driver if that fails', async () => {
    const { clock, faults, register, csi, stage } = setUp();
    faults.set('nodeGetInfo', hang);
    const start = clock.monotonic();
    await expect(clock.run(register())).rejects.toThrow('DeadlineExceeded');
    expect(clock.monotonic() - start).toBe(120_000);
    await expect(stage()).rejects.toMatchObject({ code: 'TransientOperationFailure' });
    faults.clear();
    await register();
    expect(() => csi.registration.validate('d', '/other.sock', ['1.0.0'])).toThrow('already registered');
    expect(() => csi.registration.validate('d', '/other.sock', ['1.1.0'])).not.toThrow();
    await csi.registration.deregister('d', '/d.sock', signal);
    expect(() => csi.registration.validate('d', '/d.sock', ['1.0.0'])).not.toThrow();
  });

  it('is not ready before the CSINode exists', async () => {
    const { csi, clock } = setUp({ withNode: true });
    expect(csi.notReadyReason()).toBe('CSINode is not yet initialized');
    await csi.start();
    await clock.settle();
    expect(csi.notReadyReason()).toBeUndefined();
  });

  it('updates the volume limit with the period of the CSIDriver, and never without one', async () => {
    const { csi, clock, register, answers, drivers, csiNodes, calls } = setUp({ withNode: true, driverSpec: {} });
    await csi.start();
    await register();
    const count = () => csiNodes.kept.get('n')?.spec.drivers?.[0]?.allocatable?.count;
    expect([count(), clock.pending]).toEqual([3, 0]);
    answers.maxVolumesPerNode = 5n;
    drivers.set({ nodeAllocatableUpdatePeriodSeconds: 60 });
    await clock.advance(59_999);
    expect(count()).toBe(3);
    await clock.advance(1);
    expect(count()).toBe(5);
    drivers.set({ nodeAllocatableUpdatePeriodSeconds: 600 });
    const asked = calls.length;
    await clock.advance(599_000);
    expect(calls.length).toBe(asked);
    await csi.registration.deregister('d', '/d.sock', signal);
    expect(clock.pending).toBe(0);
    await csi.stop();
    expect(drivers.listeners.size).toBe(0);
  });
});

describe('operations of the CSI plugin', () => {
  it('time out after two minutes for all their calls', async () => {
    const { clock, calls, faults, register, stage, stagePath } = setUp();
    await register();
    faults.set('nodeStageVolume', hang);
    const staging = stage().catch((error: unknown) => error);
    await expect.poll(() => calls.at(-1)).toBe('nodeStageVolume');
    await clock.advance(119_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await staging).toMatchObject({ code: 'UncertainProgress' });
    expect(existsSync(stagePath)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('wait for the CSIDriver informer to sync', async () => {
    const { drivers, register, publish, clock, mounts } = setUp();
    await register();
    drivers.informer.hasSynced = false;
    const publishing = publish();
    await clock.settle();
    expect(mounts.size).toBe(0);
    drivers.sync();
    await publishing;
    expect(mounts.size).toBe(1);
    expect(drivers.listeners.size).toBe(0);
  });

  it('keep a mounted volume when publishing it again fails', async () => {
    const { register, publish, faults, root } = setUp();
    await register();
    await publish();
    faults.set('nodePublishVolume', answer('Internal'));
    const files = () => readdirSync(join(root, 'pods'), { recursive: true }).sort();
    const before = files();
    await expect(publish({ isRemount: true })).rejects.toThrow('Internal');
    await expect(publish({ reconstructed: true })).rejects.toThrow('Internal');
    expect(files()).toEqual(before);
  });

  it('mount with an SELinux label if the driver supports it, and save it with the volume', async () => {
    const { csi, register, requests, stagePath, root } = setUp({
      driverSpec: { attachRequired: false, fsGroupPolicy: 'None', seLinuxMount: true, volumeLifecycleModes: ['Persistent'] },
    });
    await register();
    const seLinuxLabel = 'system_u:object_r:container_file_t:s0:c1,c2';
    expect(csi.plugin.supportsSELinuxContext?.(spec)).toBe(true);
    await csi.plugin.deviceMountable?.deviceMounter().mountDevice(spec, '', stagePath, { signal, seLinuxLabel });
    await (await csi.plugin.mounter(spec, pod)).setUp({ ...setUpOptions, seLinuxLabel });
    const flags = requests.flatMap(({ volumeCapability }) => volumeCapability?.mount?.mountFlags ?? []);
    expect(flags).toEqual([`context="${seLinuxLabel}"`, `context="${seLinuxLabel}"`]);
    const found = await csi.plugin.constructVolumeSpec('pv', join(root, 'pods/u1/volumes/kubernetes.io~csi/pv'));
    expect(found.seLinuxLabel).toBe(seLinuxLabel);
    expect((await csi.plugin.deviceMountable?.findDevices?.())?.map((each) => each.seLinuxLabel)).toEqual([seLinuxLabel]);
    expect(setUp().csi.plugin.supportsSELinuxContext?.(spec)).toBe(false);
  });

  it('save what undoing them needs before they call the driver, also for block devices', async () => {
    const { csi, register, faults, root, stage, publish } = setUp();
    await register();
    const atCall: Record<string, string[]> = {};
    const names = /vol_data\.json$|volumeDevices.*pv$/;
    for (const method of ['nodeStageVolume', 'nodePublishVolume'] as const) {
      faults.set(method, async () => {
        atCall[method] = (readdirSync(root, { recursive: true }) as string[]).filter((path) => names.test(path)).sort();
        return undefined as never;
      });
    }
    await stage();
    await publish();
    const stagedFolder = expect.stringMatching(/^plugins\/kubernetes\.io\/csi\/d\/.*vol_data\.json$/);
    expect(atCall).toEqual({
      nodeStageVolume: [stagedFolder],
      nodePublishVolume: [stagedFolder, 'pods/u1/volumes/kubernetes.io~csi/pv/vol_data.json'].sort(),
    });

    const block: VolumeSpec = {
      ...spec,
      persistentVolume: {
        ...spec.persistentVolume,
        metadata: { name: 'disk' },
        spec: { ...spec.persistentVolume?.spec, volumeMode: 'Block' },
      },
    };
    const mapper = await csi.plugin.block?.mapper(block, pod);
    await mapper?.setUpDevice(signal);
    expect(atCall.nodeStageVolume).toContainEqual(expect.stringMatching(/volumeDevices\/disk\/data\/vol_data\.json$/));
    let links: string[] = [];
    faults.set('nodePublishVolume', async () => {
      links = readdirSync(join(root, 'pods/u1/volumeDevices/kubernetes.io~csi'));
      return undefined as never;
    });
    await mapper?.mapPodDevice?.(signal);
    expect(links).toEqual(['disk']);
  });

  it('report missing secrets and tokens', async () => {
    const { register, csi } = setUp({
      driverSpec: { volumeLifecycleModes: ['Persistent'], fsGroupPolicy: 'None', tokenRequests: [{ audience: 'a' }] },
    });
    await register();
    const failure = async (source: object) => {
      const mountSource = { driver: 'd', volumeHandle: 'v', ...source };
      const mounter = await csi.plugin.mounter(
        { persistentVolume: { metadata: { name: 'pv' }, spec: { csi: mountSource } }, readOnly: false },
        pod,
      );
      return mounter.setUp(setUpOptions).catch((error: unknown) => error);
    };
    expect(await failure({ nodePublishSecretRef: { name: 's', namespace: 'ns' } })).toMatchObject({
      code: 'TransientOperationFailure',
      message: 'kubernetes.io/csi: fetching NodePublishSecretRef ns/s failed: no getter for secrets is configured',
    });
    expect(await failure({})).toMatchObject({ code: 'TransientOperationFailure', message: expect.stringContaining('token attributes') });
  });

  it('do not unpublish a volume that was never published, and fail without a data file if it may have been', async () => {
    const { csi, root, stagePath, calls, unpublish } = setUp();
    const folder = join(root, 'pods/u1/volumes/kubernetes.io~csi/pv');
    for (const leftover of ['vol_data.json.tmp', 'vol_data.json']) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, leftover), '');
      await unpublish();
      expect(existsSync(folder)).toBe(false);
    }
    mkdirSync(join(folder, 'mount'), { recursive: true });
    await expect(unpublish()).rejects.toThrow('unmounter failed to load volume data file');
    expect(existsSync(folder)).toBe(true);

    mkdirSync(stagePath, { recursive: true });
    await csi.plugin.deviceMountable?.deviceUnmounter().unmountDevice(stagePath, signal);
    expect(existsSync(dirname(stagePath))).toBe(false);
    mkdirSync(stagePath, { recursive: true });
    expect(await csi.plugin.deviceMountable?.findDevices?.()).toEqual([]);
    expect(existsSync(dirname(stagePath))).toBe(false);
    expect(calls).toEqual([]);
  });

  it('fail if the driver leaves the volume mounted', async () => {
    const { register, publish, unpublish, mounts, stuck, root } = setUp();
    await register();
    await publish();
    const [target = ''] = mounts;
    stuck.add(target);
    await expect(unpublish()).rejects.toThrow(`${target} is still mounted`);
    expect(existsSync(join(root, 'pods/u1/volumes/kubernetes.io~csi/pv/vol_data.json'))).toBe(true);
    stuck.clear();
    await unpublish();
    expect(existsSync(join(root, 'pods/u1/volumes/kubernetes.io~csi/pv'))).toBe(false);
  });

  it('do not remove a folder with files that the plugin did not create', async () => {
    const { register, publish, unpublish, mounts } = setUp();
    await register();
    await publish();
    const target = [...mounts][0] ?? '';
    mkdirSync(target);
    writeFileSync(join(target, 'precious'), '');
    await expect(unpublish()).rejects.toThrow('Unmounter.TearDownAt failed');
    expect(readdirSync(target)).toEqual(['precious']);
    expect(existsSync(join(dirname(target), 'vol_data.json'))).toBe(true);
    rmSync(join(target, 'precious'));
    await unpublish();
    expect(existsSync(dirname(target))).toBe(false);
  });

  it('report only the usage that the driver reports', async () => {
    const { register, csi, faults } = setUp();
    const stats = async () => (await csi.plugin.mounter(spec, pod)).usage?.(signal);
    await register();
    await expect(stats()).rejects.toThrow('failed to get usage from response. usage is nil');
    faults.set('nodeGetCapabilities', answer('Unimplemented'));
    await expect(stats()).rejects.toThrow('Unimplemented');
  });

  it('end with everything mounted or nothing left, whichever step fails', async () => {
    const seed = 20_261_122;
    const random = seededRandom(seed);
    const statuses: GrpcStatus[] = ['Internal', 'Unavailable', 'InvalidArgument', 'Aborted', 'NotFound', 'DeadlineExceeded'];
    const methods: CsiMethod[] = [
      'nodeGetCapabilities',
      'nodeStageVolume',
      'nodePublishVolume',
      'nodeUnpublishVolume',
      'nodeUnstageVolume',
    ];
    const { register, stage, publish, unpublish, csi, stagePath, root, faults, mounts } = setUp();
    await register();
    for (let round = 0; round < 60; round++) {
      const steps: (() => Promise<unknown>)[] = [
        stage,
        publish,
        unpublish,
        async () => csi.plugin.deviceMountable?.deviceUnmounter().unmountDevice(stagePath, signal),
      ];
      for (const step of steps) {
        for (;;) {
          faults.clear();
          if (random() < 0.5) {
            const method = methods[Math.floor(random() * methods.length)] as CsiMethod;
            faults.set(method, answer(statuses[Math.floor(random() * statuses.length)] as GrpcStatus));
          }
          const done = await step().then(
            () => true,
            () => false,
          );
          if (done) break;
        }
      }
      const left = [...mounts, ...readdirSync(join(root, 'pods/u1/volumes/kubernetes.io~csi')), existsSync(dirname(stagePath))];
      expect({ seed, round, left }).toEqual({ seed, round, left: [false] });
    }
  });
});
