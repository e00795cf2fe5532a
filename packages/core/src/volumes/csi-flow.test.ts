import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  apiStatusError,
  type CSIDriver,
  type CSINode,
  type KubeObject,
  type Node,
  type ObjectKey,
  type PersistentVolume,
  type VolumeAttachment,
  type VolumeSpec,
} from '@nodeagent/api';
import { Quantity, volumePaths } from '@nodeagent/api/helpers';
import { csiAttachmentName, csiStagePath, csiTargetPath } from '@nodeagent/csi/decisions';
import { createCsi } from '@nodeagent/csi/node';
import { type CsiTestDriverOptions, createCsiTestDriver } from '@nodeagent/csi/test-driver';
import { createPluginManager, pluginFolder } from '@nodeagent/plugin-manager';
import { buildPod, createRecordingLogger } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const driverName = 'disks.example.com';
const nodeName = 'node-1';
const { signal } = new AbortController();
const eventually = <T>(read: () => T) => expect.poll(read);

/** The objects of one kind as an API server keeps them. */
function objects<T extends KubeObject>(...initial: T[]) {
  const store = new Map(initial.map((object) => [object.metadata?.name ?? '', object]));
  return {
    store,
    async get({ name }: ObjectKey) {
      const object = store.get(name);
      if (object === undefined) throw apiStatusError({ code: 404, reason: 'NotFound', message: `"${name}" not found` });
      return object;
    },
    async create(object: T) {
      store.set(object.metadata?.name ?? '', object);
      return object;
    },
    async update(object: T) {
      store.set(object.metadata?.name ?? '', object);
      return object;
    },
    async delete({ name }: ObjectKey) {
      store.delete(name);
    },
  };
}

const volume = (overrides: Partial<NonNullable<PersistentVolume['spec']>> = {}): VolumeSpec => ({
  persistentVolume: {
    metadata: { name: 'pv-1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      mountOptions: ['noatime'],
      csi: {
        driver: driverName,
        volumeHandle: 'vol-1',
        fsType: 'ext4',
        volumeAttributes: { pool: 'fast' },
        nodeStageSecretRef: { name: 'stage', namespace: 'storage' },
        nodePublishSecretRef: { name: 'publish', namespace: 'storage' },
      },
      ...overrides,
    },
  },
  readOnly: false,
});

const attachment: VolumeAttachment = {
  metadata: { name: csiAttachmentName('vol-1', driverName, nodeName) },
  spec: { attacher: driverName, nodeName, source: { persistentVolumeName: 'pv-1' } },
  status: { attached: true, attachmentMetadata: { device: '/dev/xvdb' } },
};

async function setUp(driverOptions: Partial<CsiTestDriverOptions> = {}, driverSpec: CSIDriver['spec'] = {}) {
  const root = mkdtempSync(join(tmpdir(), 'csi-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const registry = join(root, 'plugins_registry');
  mkdirSync(registry);
  const nodes = objects<Node>({ metadata: { name: nodeName, uid: 'n1' } });
  const csiNodes = objects<CSINode>();
  const attachments = objects<VolumeAttachment>(attachment);
  const secret = (name: string) => ({ metadata: { name }, data: { key: Buffer.from(`${name}-password`).toString('base64') } });
  const csiDriver: CSIDriver = {
    metadata: { name: driverName },
    spec: { fsGroupPolicy: 'ReadWriteOnceWithFSType', volumeLifecycleModes: ['Persistent'], ...driverSpec },
  };
  const logger = createRecordingLogger();
  const groups: unknown[] = [];
  const driver = createCsiTestDriver({
    name: driverName,
    registrationSocket: join(registry, 'disks-reg.sock'),
    socket: join(root, 'csi.sock'),
    ...driverOptions,
  });
  const csi = createCsi({
    rootDir: root,
    nodeName,
    isMountPoint: async (path) => driver.isMountPoint(path),
    csiDrivers: {
      hasSynced: true,
      list: () => [csiDriver],
      get: ({ name }) => (name === driverName ? csiDriver : undefined),
      onChange: () => () => {},
      start: async () => {},
      stop: async () => {},
    },
    volumeAttachments: attachments,
    secrets: objects(secret('stage'), secret('publish')),
    nodes,
    csiNodes,
    serviceAccountToken: async (_namespace, account, { spec }) => ({
      spec,
      status: { token: `${account}-token`, expirationTimestamp: '2026-01-01T01:00:00Z' },
    }),
    applyFsGroup: async (mount) => {
      groups.push(mount);
    },
    logger,
  });
  const manager = createPluginManager({ folder: pluginFolder(registry), handlers: { CSIPlugin: csi.registration }, logger });
  await csi.start();
  await manager.start();
  await driver.start();
  onTestFinished(async () => {
    await manager.stop();
    await csi.stop();
    await driver.stop();
  });
  const registered = (times = 1) => eventually(() => driver.registrations.filter((text) => text === 'registered').length).toBe(times);
  await registered();

  const pod = buildPod({ name: 'web', uid: 'u1', serviceAccountName: 'robot' });
  const { plugin } = csi;
  const paths = volumePaths(root);
  const stagePath = csiStagePath(paths, driverName, 'vol-1');
  const targetPath = csiTargetPath(paths, 'u1', 'pv-1');
  const mountOptions = { isRemount: false, reconstructed: false, signal };
  return {
    root,
    registry,
    driver,
    csi,
    manager,
    plugin,
    logger,
    nodes,
    csiNodes,
    attachments,
    groups,
    pod,
    stagePath,
    targetPath,
    registered,
    stage: (spec = volume()) => plugin.deviceMountable?.deviceMounter().mountDevice(spec, '', stagePath, { signal }),
    unstage: () => plugin.deviceMountable?.deviceUnmounter().unmountDevice(stagePath, signal),
    publish: async (spec = volume(), options = {}) => (await plugin.mounter(spec, pod)).setUp({ ...mountOptions, ...options }),
    unpublish: async (name = 'pv-1') => (await plugin.unmounter(name, 'u1')).tearDown(signal),
    /** The requests of the method so far. */
    requests: (method: string) => driver.calls.filter((call) => call.method === method).map(({ request }) => request),
  };
}

describe('CSI over real sockets', () => {
  it('registers a driver and updates the API server', async () => {
    const { nodes, csiNodes, driver, manager, registered, csi, registry } = await setUp({
      topology: { zone: 'a' },
      maxVolumesPerNode: 25n,
    });
    expect(csi.notReadyReason()).toBeUndefined();
    expect(nodes.store.get(nodeName)?.metadata).toMatchObject({
      annotations: { 'csi.volume.kubernetes.io/nodeid': `{"${driverName}":"node-of-${driverName}"}` },
      labels: { zone: 'a' },
    });
    const entry = { name: driverName, nodeID: `node-of-${driverName}`, topologyKeys: ['zone'], allocatable: { count: 25 } };
    expect(csiNodes.store.get(nodeName)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: 'n1' }] },
      spec: { drivers: [entry] },
    });

    await driver.stop();
    await eventually(() => manager.plugins()).toEqual([]);
    await eventually(() => csiNodes.store.get(nodeName)?.spec.drivers).toEqual([]);
    await eventually(() => nodes.store.get(nodeName)?.metadata).toMatchObject({ annotations: {}, labels: { zone: 'a' } });

    await driver.start({ registrationSocket: join(registry, 'other-reg.sock') });
    await registered(2);
    expect(csiNodes.store.get(nodeName)?.spec.drivers).toEqual([entry]);
  });

  it('stages, publishes, expands, measures and removes a volume, without leftovers', async () => {
    const { plugin, stage, unstage, publish, unpublish, requests, stagePath, targetPath, root, pod, groups, driver } = await setUp();
    const spec = volume();
    expect(plugin.canSupport(spec)).toBe(true);
    expect(plugin.volumeName(spec)).toBe(`${driverName}^vol-1`);
    expect(await plugin.attachable?.canAttach(spec)).toBe(true);
    expect(await plugin.attachable?.attacher().waitForAttach(spec, '', pod, signal)).toBe(attachment.metadata?.name);

    await stage();
    const mountCapability = {
      mount: { fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' },
      accessMode: { mode: 'SINGLE_NODE_WRITER' },
    };
    expect(requests('nodeStageVolume')).toEqual([
      {
        volumeId: 'vol-1',
        publishContext: { device: '/dev/xvdb' },
        stagingTargetPath: stagePath,
        volumeCapability: mountCapability,
        secrets: { key: 'stage-password' },
        volumeContext: { pool: 'fast' },
      },
    ]);
    expect(readFileSync(join(dirname(stagePath), 'vol_data.json'), 'utf8')).toBe(`{"driverName":"${driverName}","volumeHandle":"vol-1"}\n`);

    await publish(spec, { fsGroup: 2000, fsGroupChangePolicy: 'OnRootMismatch' });
    expect(requests('nodePublishVolume')).toEqual([
      {
        volumeId: 'vol-1',
        publishContext: { device: '/dev/xvdb' },
        stagingTargetPath: stagePath,
        targetPath,
        volumeCapability: mountCapability,
        readonly: false,
        secrets: { key: 'publish-password' },
        volumeContext: { pool: 'fast' },
      },
    ]);
    expect(groups).toEqual([{ path: targetPath, fsGroup: 2000, policy: 'OnRootMismatch', readOnly: false }]);
    expect(JSON.parse(readFileSync(join(dirname(targetPath), 'vol_data.json'), 'utf8'))).toEqual({
      attachmentID: attachment.metadata?.name,
      driverName,
      nodeName,
      specVolID: 'pv-1',
      volumeHandle: 'vol-1',
      volumeLifecycleMode: 'Persistent',
    });
    expect(await plugin.constructVolumeSpec('pv-1', dirname(targetPath))).toMatchObject({
      persistentVolume: { metadata: { name: 'pv-1' }, spec: { csi: { driver: driverName, volumeHandle: 'vol-1' } } },
    });

    const size = Quantity.parse('2Gi');
    const growth = {
      spec,
      newSize: size,
      oldSize: Quantity.parse('1Gi'),
      devicePath: '',
      deviceMountPath: targetPath,
      deviceStagePath: stagePath,
      signal,
    };
    expect(await plugin.expandable?.nodeExpand(growth)).toBe(true);
    expect(driver.sizes.get('vol-1')).toBe(size.value());
    expect(await (await plugin.mounter(spec, pod)).usage?.(signal)).toMatchObject({
      capacityBytes: size.value(),
      inodesUsed: 10n,
    });

    await unpublish();
    expect(existsSync(dirname(targetPath))).toBe(false);
    await unstage();
    expect(existsSync(dirname(stagePath))).toBe(false);
    await unstage();
    expect([...driver.published, ...driver.staged]).toEqual([]);
    expect(readdirSync(join(root, 'plugins/kubernetes.io/csi', driverName))).toEqual([]);
  });

  it('passes pod info and tokens to the driver, and republishes', async () => {
    const { plugin, stage, publish, requests, driver, targetPath } = await setUp(
      {},
      { podInfoOnMount: true, requiresRepublish: true, tokenRequests: [{ audience: 'vault' }] },
    );
    await stage();
    await publish();
    const volumeContext = {
      pool: 'fast',
      'csi.storage.k8s.io/pod.name': 'web',
      'csi.storage.k8s.io/pod.namespace': 'default',
      'csi.storage.k8s.io/pod.uid': 'u1',
      'csi.storage.k8s.io/serviceAccount.name': 'robot',
      'csi.storage.k8s.io/ephemeral': 'false',
      'csi.storage.k8s.io/serviceAccount.tokens': '{"vault":{"token":"robot-token","expirationTimestamp":"2026-01-01T01:00:00Z"}}',
    };
    expect(requests('nodePublishVolume')[0]).toMatchObject({ volumeContext });
    expect(plugin.requiresRemount(volume())).toBe(true);

    driver.fail('nodePublishVolume', { status: 'Internal' });
    await expect(publish(volume(), { isRemount: true })).rejects.toThrow('Internal');
    expect(existsSync(targetPath)).toBe(true);
    expect(driver.isMountPoint(targetPath)).toBe(true);
  });

  it('passes tokens as secrets if the driver requests it, and keeps secrets and tokens out of logs and errors', async () => {
    const { stage, publish, requests, driver, logger } = await setUp(
      {},
      { tokenRequests: [{ audience: '' }], serviceAccountTokenInSecrets: true },
    );
    await stage();
    driver.fail('nodePublishVolume', { status: 'Internal', message: 'no' });
    const error = await publish().catch((failure: unknown) => failure);
    await publish();
    expect(requests('nodePublishVolume')[1]).toMatchObject({
      secrets: { key: 'publish-password', 'csi.storage.k8s.io/serviceAccount.tokens': expect.stringContaining('robot-token') },
      volumeContext: { pool: 'fast' },
    });
    const output = JSON.stringify([logger.lines, String(error), error]);
    expect(output).not.toContain('password');
    expect(output).not.toContain('robot-token');
  });

  it('publishes an ephemeral volume without staging', async () => {
    const { publish, unpublish, requests, driver, root } = await setUp({}, { volumeLifecycleModes: ['Ephemeral'], podInfoOnMount: true });
    const spec: VolumeSpec = {
      volume: { name: 'scratch', csi: { driver: driverName, readOnly: true, volumeAttributes: { size: '1' } } },
      readOnly: false,
    };
    await publish(spec);
    const target = csiTargetPath(volumePaths(root), 'u1', 'scratch');
    expect(requests('nodePublishVolume')[0]).toMatchObject({
      volumeId: expect.stringMatching(/^csi-[0-9a-f]{64}$/),
      stagingTargetPath: '',
      targetPath: target,
      readonly: true,
      publishContext: {},
      volumeContext: { size: '1', 'csi.storage.k8s.io/ephemeral': 'true' },
    });
    await unpublish('scratch');
    expect(existsSync(dirname(target))).toBe(false);
    expect(driver.published.size).toBe(0);
    await expect(publish()).rejects.toMatchObject({
      code: 'TransientOperationFailure',
      message: `kubernetes.io/csi: volume mode "Persistent" not supported by driver ${driverName} (only supports ["Ephemeral"])`,
    });
  });

  it('maps raw block devices, without leftovers', async () => {
    const { plugin, pod, driver, requests, root } = await setUp();
    const spec = volume({ volumeMode: 'Block' });
    const mapper = await plugin.block?.mapper(spec, pod);
    const devices = join(root, 'plugins/kubernetes.io/csi/volumeDevices');
    expect(mapper?.globalMapPath(spec)).toBe(join(devices, 'pv-1/dev'));
    expect(mapper?.podDeviceMapPath()).toEqual({ path: join(root, 'pods/u1/volumeDevices/kubernetes.io~csi'), name: 'pv-1' });
    expect(await mapper?.setUpDevice(signal)).toBe(join(devices, 'staging/pv-1'));
    expect(await mapper?.mapPodDevice(signal)).toBe(join(devices, 'publish/pv-1/u1'));
    expect(requests('nodePublishVolume')[0]).toMatchObject({
      stagingTargetPath: join(devices, 'staging/pv-1'),
      volumeCapability: { block: {}, accessMode: { mode: 'SINGLE_NODE_WRITER' } },
    });
    expect(await plugin.block?.constructBlockVolumeSpec('u1', 'pv-1', '')).toMatchObject({
      persistentVolume: { spec: { volumeMode: 'Block' } },
    });

    const unmapper = await plugin.block?.unmapper('pv-1', 'u1');
    await unmapper?.unmapPodDevice(signal);
    await unmapper?.tearDownDevice('', '', signal);
    expect([...driver.published, ...driver.staged]).toEqual([]);
    expect(readdirSync(devices, { recursive: true }).sort()).toEqual(['publish', 'staging']);
  });

  it('cleans up after a final error of the driver only', async () => {
    const { stage, driver, stagePath, publish, targetPath } = await setUp();
    driver.fail('nodeStageVolume', { status: 'InvalidArgument', message: 'no such file system' });
    await expect(stage()).rejects.toThrow('rpc error: code = InvalidArgument desc = no such file system');
    expect(existsSync(dirname(stagePath))).toBe(false);
    driver.fail('nodeStageVolume', { status: 'Aborted' });
    await expect(stage()).rejects.toMatchObject({ code: 'UncertainProgress' });
    expect(existsSync(stagePath)).toBe(true);
    await stage();
    driver.fail('nodePublishVolume', { status: 'Unavailable', afterwards: true });
    await expect(publish()).rejects.toMatchObject({ code: 'UncertainProgress' });
    expect(existsSync(join(dirname(targetPath), 'vol_data.json'))).toBe(true);
    await publish();
  });

  it('continues with a driver that restarted with another socket between stage and publish', async () => {
    const { stage, publish, unpublish, unstage, driver, root, registry, registered, manager } = await setUp();
    await stage();
    driver.fail('nodePublishVolume', { crash: true });
    await expect(publish()).rejects.toMatchObject({ code: 'UncertainProgress' });
    await eventually(() => manager.plugins()).toEqual([]);
    await expect(publish()).rejects.toMatchObject({
      code: 'TransientOperationFailure',
      message: expect.stringContaining(`driver name ${driverName} not found in the list of registered CSI drivers`),
    });
    await driver.start({ socket: join(root, 'csi-2.sock'), registrationSocket: join(registry, 'disks-2.sock') });
    await registered(2);
    await publish();
    await unpublish();
    await unstage();
    expect([...driver.published, ...driver.staged]).toEqual([]);
  });

  it('aborts a call of a hanging driver with its operation', async () => {
    const { stage: _, driver, plugin, stagePath } = await setUp();
    driver.fail('nodeStageVolume', { hang: true });
    const controller = new AbortController();
    const mounting = plugin.deviceMountable?.deviceMounter().mountDevice(volume(), '', stagePath, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('given up')), 100);
    await expect(mounting).rejects.toMatchObject({ code: 'UncertainProgress', message: 'given up' });
  });

  it('recognizes final errors of an expansion', async () => {
    const { stage, publish, driver, plugin, targetPath, stagePath } = await setUp();
    await stage();
    await publish();
    const growth = {
      spec: volume(),
      newSize: Quantity.parse('2Gi'),
      oldSize: Quantity.parse('1Gi'),
      devicePath: '',
      deviceMountPath: targetPath,
      deviceStagePath: stagePath,
      signal,
    };
    driver.fail('nodeExpandVolume', { status: 'FailedPrecondition' });
    await expect(plugin.expandable?.nodeExpand(growth)).rejects.toMatchObject({ code: 'InUseExpansion' });
    driver.fail('nodeExpandVolume', { status: 'OutOfRange' });
    await expect(plugin.expandable?.nodeExpand(growth)).rejects.toMatchObject({ code: 'InfeasibleExpansion' });
    driver.fail('nodeExpandVolume', { status: 'Unavailable' });
    await expect(plugin.expandable?.nodeExpand(growth)).rejects.toMatchObject({ code: 'UncertainProgress' });
    driver.capabilities = ['STAGE_UNSTAGE_VOLUME'];
    await expect(plugin.expandable?.nodeExpand(growth)).rejects.toMatchObject({ code: 'CsiNotSupported' });
  });

  it('does not mount an unattached volume', async () => {
    const { plugin, attachments, pod, driver, csiNodes } = await setUp();
    const wait = () => plugin.attachable?.attacher().waitForAttach(volume(), '', pod, signal);
    const name = attachment.metadata?.name ?? '';
    attachments.store.set(name, { ...attachment, status: { attached: false } });
    await expect(wait()).rejects.toThrow(`volume vol-1 is not attached for volume attachment ${name}`);
    driver.maxVolumesPerNode = 7n;
    attachments.store.set(name, { ...attachment, status: { attached: false, attachError: { message: 'full', errorCode: 8 } } });
    await expect(wait()).rejects.toThrow('kubernetes.io/csi: full');
    expect(await plugin.attachable?.isResourceExhausted?.(volume(), signal)).toBe(true);
    expect(csiNodes.store.get(nodeName)?.spec.drivers?.[0]?.allocatable).toEqual({ count: 7 });
    attachments.store.clear();
    await expect(wait()).rejects.toThrow(`volume vol-1 has GET error for volume attachment ${name}`);
  });
});
