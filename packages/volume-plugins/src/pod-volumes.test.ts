import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigMap, Pod, Secret, Volume } from '@nodeagent/api';
import { createFakeMounter, isMountPoint, removeUnlessMounted } from '@nodeagent/mount-utils';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPodVolumes } from './pod-volumes.js';

describe('the volumes of a pod', () => {
  let rootDir: string;
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  const getErrors = new Map<string, Error>();
  beforeEach(() => {
    rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-volumes-'));
    configMaps.clear();
    secrets.clear();
    configMaps.set('settings', { data: { mode: 'fast' } });
    secrets.set('login', { data: { password: Buffer.from('s3cret').toString('base64') } });
    getErrors.clear();
  });
  afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

  const tokens: string[] = [];
  const volumesWith = (mounter = createFakeMounter({ canMount: false })) =>
    createPodVolumes({
      rootDir,
      mounter,
      clock: createVirtualClock(),
      sources: {
        getConfigMap: async (_, name) => configMaps.get(name),
        getSecret: async (_, name) => {
          const failure = getErrors.get(name);
          if (failure) throw failure;
          return secrets.get(name);
        },
        nodeAllocatable: () => ({ memory: '1Gi', cpu: '2' }),
        getServiceAccountToken: async (namespace, account, { audiences = [] }) =>
          `token of ${namespace}/${account} for ${audiences.join()}`,
      },
      tokens: { deleteServiceAccountToken: (uid) => void tokens.push(uid) },
    });
  const podWith = (volumes: Volume[], more: Pod['spec'] = { containers: [] }): Pod => ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'web' } },
    spec: { ...more, volumes, serviceAccountName: 'builder' },
  });
  const read = (folder: string | undefined, file: string) => readFileSync(join(folder ?? '', file), 'utf8');

  it.each<[string, Volume]>([
    ['a secret', { name: 'first', secret: { secretName: 'login' } }],
    ['a projected volume', { name: 'first', projected: { sources: [{ secret: { name: 'login' } }, { secret: { name: 'login' } }] } }],
  ])('are not mounted any further once the signal aborts while %s is read', async (_, first) => {
    const controller = new AbortController();
    let reads = 0;
    const volumes = createPodVolumes({
      rootDir,
      mounter: createFakeMounter({ canMount: false }),
      clock: createVirtualClock(),
      sources: {
        async getSecret() {
          reads++;
          controller.abort(new Error('the agent stops'));
          throw new Error('the connection was closed');
        },
      },
    });
    const pod = podWith([first, { name: 'second', emptyDir: {} }]);
    await expect(volumes.mount(pod, controller.signal)).rejects.toThrow(/^the agent stops$/);
    expect([reads, existsSync(join(rootDir, 'pods/u1/volumes/kubernetes.io~empty-dir'))]).toEqual([1, false]);
  });

  it('are prepared for a process without containers, and without allocatable resources', async () => {
    const volumes = createPodVolumes({ rootDir, mounter: createFakeMounter({ canMount: false }), clock: createVirtualClock() });
    const limit = { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } };
    const containers = [{ name: 'main', image: 'host' }];
    const mounted = await volumes.mount({ metadata: { name: 'web', uid: 'u1' }, spec: { volumes: [{ name: 'work', emptyDir: {} }] } });
    expect(statSync(mounted.get('work')?.hostPath ?? '').isDirectory()).toBe(true);
    const self = { name: 'self', downwardAPI: { items: [limit] } };
    const described = await volumes.mount({ metadata: { name: 'job', uid: 'u2' }, spec: { containers, volumes: [self] } });
    expect(read(described.get('self')?.hostPath, 'cpu')).toBe('0');
  });

  it('need a root directory', () => {
    expect(() => createPodVolumes({} as never)).toThrow("rootDir must be the path of the agent's root directory, got undefined");
  });

  it('are refused for a pod without a UID, which names their folder', async () => {
    const mounted = volumesWith().mount({
      metadata: { name: 'web', namespace: 'shop' },
      spec: { volumes: [{ name: 'work', emptyDir: {} }] },
    });
    await expect(mounted).rejects.toMatchObject({
      code: 'InvalidOption',
      message: 'pod "shop/web" has no metadata.uid',
      hint: expect.stringContaining('crypto.randomUUID()'),
    });
  });

  it('are prepared without root: configMap, secret, downwardAPI, projected and emptyDir', async () => {
    const volumes = volumesWith();
    const mounted = await volumes.mount(
      podWith([
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'login', secret: { secretName: 'login', defaultMode: 0o400 } },
        { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        {
          name: 'all',
          projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }, { configMap: { name: 'settings' } }] },
        },
        { name: 'work', emptyDir: {} },
      ]),
    );
    expect(read(mounted.get('config')?.hostPath, 'mode')).toBe('fast');
    expect(read(mounted.get('login')?.hostPath, 'password')).toBe('s3cret');
    expect(statSync(join(mounted.get('login')?.hostPath ?? '', 'password')).mode & 0o777).toBe(0o400);
    expect(read(mounted.get('self')?.hostPath, 'labels')).toBe('app="web"');
    expect(read(mounted.get('all')?.hostPath, 'token')).toBe('token of shop/builder for vault');
    expect(read(mounted.get('all')?.hostPath, 'mode')).toBe('fast');
    expect(statSync(mounted.get('work')?.hostPath ?? '').mode & 0o777).toBe(0o777);
    expect(mounted.get('config')).toEqual({
      hostPath: join(rootDir, 'pods/u1/volumes/kubernetes.io~configmap/config'),
      readOnly: true,
      selinuxRelabel: true,
      specName: 'config',
    });

    await volumesWith().unmount('u1');
    expect(readdirSync(join(rootDir, 'pods/u1/volumes')).flatMap((each) => readdirSync(join(rootDir, 'pods/u1/volumes', each)))).toEqual(
      [],
    );
    expect(tokens).toEqual(['u1']);
  });

  it('are updated, and keep the files that the pod wrote', async () => {
    const volumes = volumesWith();
    const pod = podWith([
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'work', emptyDir: {} },
    ]);
    const mounted = await volumes.mount(pod);
    writeFileSync(join(mounted.get('work')?.hostPath ?? '', 'result'), '42');
    configMaps.set('settings', { data: { speed: 'slow' } });
    await volumes.mount(pod);
    expect(readdirSync(mounted.get('config')?.hostPath ?? '').filter((name) => !name.startsWith('..'))).toEqual(['speed']);
    expect(read(mounted.get('work')?.hostPath, 'result')).toBe('42');
  });

  it('keep their content if an update fails', async () => {
    const volumes = volumesWith();
    const pod = podWith([{ name: 'login', secret: { secretName: 'login' } }]);
    const mounted = await volumes.mount(pod);
    getErrors.set('login', new Error('etcdserver: request timed out'));
    await expect(volumes.mount(pod)).rejects.toThrow('MountVolume.SetUp failed for volume "login" : etcdserver: request timed out');
    expect(read(mounted.get('login')?.hostPath, 'password')).toBe('s3cret');
  });

  it('fail with a clear message, and leave no files', async () => {
    const cases: [Volume, string][] = [
      [{ name: 'v', configMap: { name: 'none' } }, 'configmap "none" not found'],
      [{ name: 'v', secret: { secretName: 'login', items: [{ key: 'user', path: 'u' }] } }, 'references non-existent secret key: user'],
      [{ name: 'v', hostPath: { path: rootDir, type: 'Socket' } }, `hostPath type check failed: ${rootDir} is not a socket file`],
      [{ name: 'v', emptyDir: { medium: 'Tape' } }, 'unknown storage medium "Tape"'],
      [{ name: 'v', emptyDir: { medium: 'Memory' } }, 'is not permitted'],
      [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }, 'no volume plugin matched'],
    ];
    for (const [volume, text] of cases) {
      const volumes = volumesWith();
      await expect(volumes.mount(podWith([volume])), text).rejects.toThrow(text);
      expect(volumes.getMountedVolumesForPod('u1').size).toBe(0);
    }
    expect(existsSync(join(rootDir, 'pods/u1/volumes/kubernetes.io~configmap'))).toBe(false);
    expect(existsSync(join(rootDir, 'pods/u1/volumes/kubernetes.io~secret'))).toBe(false);
  });

  it('have the folders in which a container mounts other volumes', async () => {
    const containers = [
      {
        name: 'c',
        volumeMounts: [
          { name: 'config', mountPath: '/etc/app' },
          { name: 'work', mountPath: '/etc/app/cache/tmp' },
        ],
      },
    ];
    const mounted = await volumesWith().mount(podWith([{ name: 'config', configMap: { name: 'settings' } }], { containers }));
    expect(statSync(join(mounted.get('config')?.hostPath ?? '', 'cache/tmp')).isDirectory()).toBe(true);
  });

  it('are in memory if the agent can mount, limited to the memory of the pod', async () => {
    const mounter = createFakeMounter();
    const volumes = volumesWith(mounter);
    const containers = [{ name: 'c', resources: { limits: { memory: '64Mi' } } }];
    const volume = { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '10Mi' } };
    const pod = podWith([volume, { name: 'login', secret: { secretName: 'login' } }], { containers });
    const fast = join(rootDir, 'pods/u1/volumes/kubernetes.io~empty-dir/fast');
    const login = join(rootDir, 'pods/u1/volumes/kubernetes.io~secret/login');
    await volumes.mount(pod);
    await volumes.mount(pod);
    expect(mounter.calls).toEqual([
      `mount -t tmpfs -o size=${10 * 1024 * 1024},noswap tmpfs ${fast}`,
      `mount -t tmpfs -o size=${64 * 1024 * 1024},noswap tmpfs ${login}`,
    ]);

    mounter.fail = (call) => (call === `unmount ${fast}` ? new Error('umount: target is busy') : undefined);
    await expect(volumes.unmount('u1')).rejects.toThrow('target is busy');
    expect(existsSync(fast)).toBe(true);
    mounter.fail = undefined;
    await volumes.unmount('u1');
    expect([existsSync(fast), existsSync(login), await mounter.list()]).toEqual([false, false, []]);
  });

  it('on network file systems are unmounted, and never emptied', async () => {
    const mounter = createFakeMounter();
    const volumes = volumesWith(mounter);
    const path = join(rootDir, 'pods/u1/volumes/kubernetes.io~nfs/share');
    await volumes.mount(podWith([{ name: 'share', nfs: { server: 'fd00::1', path: '/export', readOnly: true } }]));
    expect(mounter.calls).toEqual([`mount -t nfs -o ro [fd00::1]:/export ${path}`]);
    writeFileSync(join(path, 'precious'), '');
    await expect(volumes.unmount('u1')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(existsSync(join(path, 'precious'))).toBe(true);
  });

  it('keep all their data while another file system is mounted in them', async () => {
    const mounter = createFakeMounter();
    const volumes = volumesWith(mounter);
    const mounted = await volumes.mount(podWith([{ name: 'work', emptyDir: {} }]));
    const work = mounted.get('work')?.hostPath ?? '';
    // A container with Bidirectional propagation mounts like this.
    const target = join(work, 'deep/disk');
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'precious'), '');
    await mounter.mount({ source: '/dev/sdb', target });
    await expect(volumes.unmount('u1')).rejects.toThrow(`cannot delete directory ${target}: it is a mount point`);
    expect(existsSync(join(target, 'precious'))).toBe(true);
    await mounter.unmount(target);
    await volumes.unmount('u1');
    expect(existsSync(work)).toBe(false);
  });

  it('are reported as mounted if the root directory is a link', async () => {
    const mounter = createFakeMounter();
    const link = `${rootDir}-link`;
    symlinkSync(rootDir, link);
    onTestFinished(() => rmSync(link));
    const path = 'pods/u1/volumes/kubernetes.io~empty-dir/fast';
    await mounter.mount({ source: 'tmpfs', target: join(rootDir, path), fsType: 'tmpfs' });
    mkdirSync(join(rootDir, path), { recursive: true });
    expect(await isMountPoint(mounter, join(link, path))).toBe(true);
    await expect(removeUnlessMounted(mounter, join(link, 'pods/u1'))).rejects.toThrow('it is a mount point');
  });
});
