import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { apiStatusError, type Pod, type PodSource, type Volume, type VolumeMount } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { createNodeMounter } from '@nodeagent/mount-utils';
import { buildPod } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll, endPods } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnEachRuntime } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { textOfLog } from '../support/runtimes/text-of-log.js';
import { until } from '../support/until.js';

/** A pod of one container that runs a shell command and has the volumes below the folders of their names. */
function shellPod(name: string, script: string, volumes: Volume[], mounts: (Partial<VolumeMount> & { name: string })[] = volumes): Pod {
  const pod = buildPod({
    name,
    uid: `${name}-uid`,
    terminationGracePeriodSeconds: 0,
    securityContext: { fsGroup: 2345 },
    volumes,
    containers: [
      {
        name: 'c',
        image: testImage,
        imagePullPolicy: 'IfNotPresent',
        command: ['sh', '-c', script],
        volumeMounts: mounts.map((mount) => ({
          mountPath: `/${mount.name}`,
          ...Object.fromEntries(
            Object.entries(mount).filter(([field]) => /^(name|mountPath|readOnly|subPath|mountPropagation)$/.test(field)),
          ),
        })) as VolumeMount[],
      },
    ],
  });
  return { ...pod, metadata: { ...pod.metadata, labels: { app: name } } };
}

describeOnEachRuntime('volumes of pods, as every agent has them,', (testRuntime) => {
  let runtime: PrivateRuntime;
  let work: string;
  let root: string;
  let cri: ReturnType<typeof createCriClient>;
  let agent: NodeAgent;
  let source: PodSource;
  const wanted = new Map<string, Pod>();
  const events: string[] = [];
  const mounter = createNodeMounter();
  const settings = { data: { mode: 'fast', 'app.conf': 'a=1' } };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const login = { data: { password: base64('s3cret') } };
  const claimRef = { namespace: 'default', name: 'data', uid: 'claim' };
  const notFound = (name: string) => apiStatusError({ code: 404, reason: 'NotFound', message: `"${name}" not found` });

  const run = (pod: Pod) => {
    wanted.set(pod.metadata?.name ?? '', pod);
    source.onPods?.([...wanted.values()]);
  };
  const outputOf = (pod: string) => {
    const folder = readdirSync(join(work, 'logs')).find((name) => name.startsWith(`default_${pod}_`));
    const file = join(work, 'logs', folder ?? '', 'c/0.log');
    return folder === undefined || !existsSync(file) ? '' : textOfLog(file);
  };
  const printsText = (pod: string, text: string) =>
    until(`${pod} to print ${JSON.stringify(text)}`, async () => outputOf(pod).includes(text)).catch((error) => {
      throw new Error(`${error.message}; its output is ${outputOf(pod)}; events: ${events.join('; ')}`);
    });
  const ends = async (pod: string) => {
    wanted.delete(pod);
    source.onPods?.([...wanted.values()]);
    await until(`nothing to be left of ${pod}`, async () => !existsSync(join(root, 'pods', `${pod}-uid`)));
  };
  const mountsBelow = async (path: string) =>
    (await mounter.list()).map(({ mountPoint }) => mountPoint).filter((each) => each.startsWith(`${path}/`));

  async function startAgent(): Promise<void> {
    source = { name: 'api', onPods: undefined, stop: async () => {}, start: async () => source.onPods?.([...wanted.values()]) };
    agent = createNodeAgent({
      nodeName: 'volumes',
      sources: [source],
      cri,
      rootDir: root,
      podLogsDir: join(work, 'logs'),
      // No page has to be set aside to mount their file system.
      nodeAllocatable: () => ({ cpu: `${cpus().length}`, memory: `${totalmem()}`, 'hugepages-2Mi': '4Mi' }),
      environment: {
        getConfigMap: async (_, name) => (name === 'settings' ? settings : undefined),
        getSecret: async (_, name) => (name === 'login' ? login : undefined),
      },
      volumes: {
        claims: {
          async get({ name }) {
            if (name !== 'data') throw notFound(name);
            return {
              metadata: { ...claimRef },
              spec: { accessModes: ['ReadWriteOnce'], volumeName: 'disk' },
              status: { phase: 'Bound', capacity: { storage: '1Gi' } },
            };
          },
        },
        persistentVolumes: {
          get: async () => ({
            metadata: { name: 'disk', uid: 'disk' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              capacity: { storage: '1Gi' },
              volumeMode: 'Filesystem',
              claimRef,
              local: { path: join(work, 'disk') },
            },
            status: { phase: 'Bound' },
          }),
        },
      },
      settings: { syncFrequencyMs: 1_000 },
    });
    agent.on('event', ({ object, reason, message }) => void events.push(`${object.name} ${reason} ${message}`));
    await agent.start();
  }

  beforeAll(async () => {
    runtime = await testRuntime.start();
    work = mkdtempSync(join(tmpdir(), 'nodeagent-volumes-'));
    root = join(work, 'root');
    for (const folder of ['disk', 'host']) mkdirSync(join(work, folder));
    // Only a shared mount can pass on what is mounted later.
    await mounter.mount({ source: 'tmpfs', target: join(work, 'host'), fsType: 'tmpfs' });
    await mounter.run('mount', ['--make-rshared', join(work, 'host')]);
    cri = createCriClient({ endpoint: runtime.endpoint });
    await startAgent();
  });

  cleanUpAfterAll({
    'the pods': () => agent && endPods(agent),
    'the agent': () => agent?.stop(),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  it('configMap, secret, downwardAPI and projected: files, which change as their objects do', async () => {
    const watch = 'while :; do echo "now $(cat /config/mode) $(cat /login/password) $(cat /all/mode)"; sleep 0.2; done';
    const script =
      'ls /config /login; cat /self/labels; echo; cat /all/name; echo; stat -L -c "%a %g" /login/password /config/mode; stat -f -c %T /login; touch /config/new 2>/dev/null || echo refused';
    run(
      shellPod(
        'files',
        `${script}; cat /one; echo; ${watch}`,
        [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'login', secret: { secretName: 'login', defaultMode: 0o400 } },
          { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          {
            name: 'all',
            projected: {
              sources: [
                { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
                { configMap: { name: 'settings', items: [{ key: 'mode', path: 'mode' }] } },
              ],
            },
          },
          { name: 'missing', configMap: { name: 'nowhere', optional: true } },
        ],
        [
          { name: 'config' },
          { name: 'login' },
          { name: 'self' },
          { name: 'all' },
          { name: 'missing' },
          { name: 'config', mountPath: '/one', subPath: 'app.conf' },
        ],
      ),
    );
    await printsText('files', 'now fast s3cret fast\n');
    const seen = outputOf('files').split('now ')[0]?.trim().split('\n');
    expect(seen).toEqual([
      '/config:',
      'app.conf',
      'mode',
      '',
      '/login:',
      'password',
      'app="files"',
      'files',
      '440 2345',
      '644 2345',
      'tmpfs',
      'refused',
      'a=1',
    ]);

    settings.data = { mode: 'slow', 'app.conf': 'a=2' };
    login.data.password = base64('changed');
    await printsText('files', 'now slow changed slow\n');
    await ends('files');
  });

  it('emptyDir: on disk and in memory, with the requested size and group, removed with the pod', async () => {
    const script =
      'stat -c "%a %g" /work /fast /part /fast-part; df -k /fast | tail -1 | awk \'{print $1, $2}\'; echo kept > /work/file; echo end';
    run(
      shellPod(
        'scratch',
        `${script}; sleep infinity`,
        [
          { name: 'work', emptyDir: {} },
          { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
        ],
        [
          { name: 'work' },
          { name: 'fast' },
          { name: 'work', mountPath: '/part', subPath: 'deep/part' },
          { name: 'fast', mountPath: '/fast-part', subPath: 'deep/part' },
        ],
      ),
    );
    await printsText('scratch', 'end\n');
    // The sticky bit is that of the tmpfs, as with a kubelet, also of a subPath that did not exist.
    expect(outputOf('scratch').split('\n').slice(0, 5)).toEqual(['2777 2345', '3777 2345', '2777 2345', '3777 2345', 'tmpfs 8192']);
    const folder = join(root, 'pods/scratch-uid/volumes/kubernetes.io~empty-dir/work');
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept\n');
    expect(statSync(join(folder, 'deep/part')).isDirectory()).toBe(true);
    expect(await mountsBelow(join(root, 'pods/scratch-uid'))).toHaveLength(3);
    await ends('scratch');
    expect(await mountsBelow(root)).toEqual([]);
  });

  it.skipIf(!existsSync('/sys/kernel/mm/hugepages/hugepages-2048kB'))(
    'emptyDir: of huge pages, as large as the container asks',
    async () => {
      const pod = shellPod('huge', 'awk \'$2 == "/huge" { print $3 }\' /proc/mounts; stat -f -c %S /huge; echo end; sleep infinity', [
        { name: 'huge', emptyDir: { medium: 'HugePages' } },
      ]);
      const amounts = { 'hugepages-2Mi': '4Mi', memory: '64Mi', cpu: '10m' };
      for (const container of pod.spec?.containers ?? []) container.resources = { requests: amounts, limits: amounts };
      run(pod);
      await printsText('huge', 'end\n');
      expect(outputOf('huge')).toBe('hugetlbfs\n2097152\nend\n');
      await ends('huge');
      expect(await mountsBelow(root)).toEqual([]);
    },
  );

  it('hostPath: later mounts propagate to the container, and its mounts to the node, as requested', async () => {
    const script =
      'touch /refused/x 2>/dev/null || echo refused; echo from the pod > /host/file; mkdir /both/inner; mount -t tmpfs inside /both/inner; ' +
      'while :; do grep -q " /host/later " /proc/mounts && echo propagated; sleep 0.2; done';
    const pod = shellPod(
      'host',
      script,
      [{ name: 'host', hostPath: { path: join(work, 'host'), type: 'Directory' } }],
      [
        { name: 'host', mountPropagation: 'HostToContainer' },
        { name: 'host', mountPath: '/refused', readOnly: true },
        { name: 'host', mountPath: '/both', mountPropagation: 'Bidirectional' },
      ],
    );
    for (const container of pod.spec?.containers ?? []) container.securityContext = { privileged: true };
    run(pod);
    await printsText('host', 'refused\n');
    await until('the mount of the container', async () => (await mountsBelow(work)).includes(join(work, 'host/inner')));
    expect(readFileSync(join(work, 'host/file'), 'utf8')).toBe('from the pod\n');
    mkdirSync(join(work, 'host/later'));
    await mounter.mount({ source: 'tmpfs', target: join(work, 'host/later'), fsType: 'tmpfs' });
    await printsText('host', 'propagated\n');
    await ends('host');
    expect(existsSync(join(work, 'host/file'))).toBe(true);
    for (const folder of ['later', 'inner']) await mounter.unmount(join(work, 'host', folder));

    run(shellPod('wrong', 'true', [{ name: 'host', hostPath: { path: join(work, 'nothing'), type: 'Directory' } }]));
    const text = `wrong FailedMount MountVolume.SetUp failed for volume "host" : hostPath type check failed: ${work}/nothing is not a directory`;
    await until('the reason', async () => events.includes(text));
    await ends('wrong');
  });

  it.skipIf(testRuntime.name === 'containerd 1.6')('image: the content of an image, for reading only', async () => {
    const script = 'ls /files/bin/sh; touch /files/new 2>/dev/null || echo refused; sleep infinity';
    run(shellPod('image', script, [{ name: 'files', image: { reference: testImage, pullPolicy: 'IfNotPresent' } }]));
    await printsText('image', 'refused');
    expect(outputOf('image').split('\n').slice(0, 2)).toEqual(['/files/bin/sh', 'refused']);
    await ends('image');
  });

  it('a claim of a local persistent volume: bound into the pod with its group, left as it was', async () => {
    writeFileSync(join(work, 'disk/before'), 'kept');
    const claim: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
    run(shellPod('claim', 'cat /data/before; stat -c "%g" /data/before; touch /data/after; echo end; sleep infinity', [claim]));
    await printsText('claim', 'end\n');
    expect(outputOf('claim')).toBe('kept2345\nend\n');
    expect(await mountsBelow(join(root, 'pods/claim-uid'))).toEqual([join(root, 'pods/claim-uid/volumes/kubernetes.io~local-volume/disk')]);
    await ends('claim');
    expect(readdirSync(join(work, 'disk'))).toEqual(['after', 'before']);
    expect(await mountsBelow(root)).toEqual([]);
  });

  it('outlive the agent: the next one keeps those of pods that go on, and takes away the others', async () => {
    const volumes: Volume[] = [
      { name: 'fast', emptyDir: { medium: 'Memory' } },
      { name: 'config', configMap: { name: 'settings' } },
    ];
    const script = 'echo kept > /fast/id; while :; do echo "now $(cat /fast/id) $(cat /config/mode)"; sleep 0.2; done';
    run(shellPod('stays', script, volumes));
    run(shellPod('deleted', script, volumes, [...volumes, { name: 'fast', mountPath: '/part', subPath: 'part' }]));
    await printsText('stays', 'now kept slow\n');
    await printsText('deleted', 'now kept slow\n');
    await agent.stop();
    expect(await mountsBelow(root)).toHaveLength(3);

    wanted.delete('deleted');
    settings.data = { ...settings.data, mode: 'other' };
    await startAgent();
    await printsText('stays', 'now kept other\n');
    await until('the other pod to be removed', async () => !existsSync(join(root, 'pods/deleted-uid')));
    expect(await mountsBelow(root)).toEqual([join(root, 'pods/stays-uid/volumes/kubernetes.io~empty-dir/fast')]);
    expect(readdirSync(join(root, 'pods'))).toEqual(['stays-uid']);
    await ends('stays');
    expect(await mountsBelow(root)).toEqual([]);
  });
});
