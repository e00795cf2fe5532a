import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CSINode, KubeObject, Node, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { csiAttachmentName, csiStagePath } from '@nodeagent/csi/decisions';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { beforeAll, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type CsiDriverProcess, startCsiDriver } from '../support/csi-driver/csi-driver.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { textOfLog } from '../support/runtimes/text-of-log.js';
import { until } from '../support/until.js';

const driverName = 'disks.example.com';
const nodeName = 'e2e';

/** Folders and processes of the suite. */
interface Cluster {
  work: string;
  root: string;
  server: TestApiServer;
  driver: CsiDriverProcess;
  /** Of the agent. */
  flags: string[];
  agent: AgentProcess;
}

async function createCluster(runtime: PrivateRuntime): Promise<Cluster> {
  const work = mkdtempSync(join(tmpdir(), 'nodeagent-csi-'));
  const root = join(work, 'root');
  const server = createTestApiServer({ network: machineNetwork, scheduler: true, nodeRestriction: true });
  await server.listen({ tls: true });
  const identity = { username: `system:node:${nodeName}`, groups: ['system:nodes'] };
  writeFileSync(join(work, 'config'), server.kubeconfig({ user: identity }));
  server.objects.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: driverName },
    spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
  } as KubeObject);
  server.objects.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disks' },
    provisioner: driverName,
    allowVolumeExpansion: true,
  } as KubeObject);
  const kubelet = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    nodeStatusUpdateFrequency: '1s',
    volumeStatsAggPeriod: '2s',
  };
  writeFileSync(join(work, 'kubelet.json'), JSON.stringify(kubelet));
  const driver = await startCsiDriver(driverName, join(work, 'driver'), root);
  const flags = [
    ...['--kubeconfig', join(work, 'config'), '--runtime-endpoint', runtime.endpoint, '--node-name', nodeName],
    ...['--root-dir', root, '--pod-logs-dir', join(work, 'logs'), '--sync-frequency', '2s', '--config', join(work, 'kubelet.json')],
  ];
  return { work, root, server, driver, flags, agent: startAgent(flags) };
}

/** What controllers of a cluster do for a claim: a volume for it, bound to it and attached to the node. */
function provision({ server }: Cluster, name: string): void {
  const { objects } = server;
  const storage = '1Gi';
  const accessModes = ['ReadWriteOnce'];
  const claim = objects.create<PersistentVolumeClaim>({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes, storageClassName: 'disks', volumeName: `pv-${name}`, resources: { requests: { storage } } },
  });
  objects.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${name}` },
    spec: {
      capacity: { storage },
      accessModes,
      storageClassName: 'disks',
      volumeMode: 'Filesystem',
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name, uid: claim.metadata?.uid },
      csi: { driver: driverName, volumeHandle: `vol-${name}`, fsType: 'ext4' },
    },
  } as KubeObject);
  const status = (change: (claim: PersistentVolumeClaim) => void) =>
    objects.update('persistentvolumeclaims', name, change, { namespace: 'default', subresource: 'status' });
  status((bound) => {
    bound.status = { phase: 'Bound', accessModes, capacity: { storage } };
  });
  const attachment = csiAttachmentName(`vol-${name}`, driverName, nodeName);
  objects.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachment },
    spec: { attacher: driverName, nodeName, source: { persistentVolumeName: `pv-${name}` } },
  } as KubeObject);
  objects.update(
    'volumeattachments',
    attachment,
    (object: KubeObject & { status?: object }) => {
      object.status = { attached: true, attachmentMetadata: { slot: '7' } };
    },
    { subresource: 'status' },
  );
  objects.update(
    'nodes',
    nodeName,
    (node: Node) => {
      const volumesAttached = [...(node.status?.volumesAttached ?? []), { name: uniqueName(name), devicePath: '' }];
      node.status = { ...node.status, volumesAttached };
    },
    { subresource: 'status' },
  );
}

const uniqueName = (name: string) => `kubernetes.io/csi/${driverName}^vol-${name}`;

function runPod(
  { server }: Cluster,
  name: string,
  volume: NonNullable<NonNullable<Pod['spec']>['volumes']>[number],
  work = 'cat /data/past 2>/dev/null; echo "I am $HOSTNAME" >> /data/past',
): Pod {
  const script = `${work}; trap "exit 0" TERM; sleep infinity & wait $!`;
  const volumeMounts = [{ name: volume.name, mountPath: '/data' }];
  return server.objects.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      volumes: [volume],
      containers: [{ name: 'main', image: testImage, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script], volumeMounts }],
    },
  });
}

describeOnRuntimes('CSI volumes', ['2'], (testRuntime) => {
  let cluster: Cluster;
  let runtime: PrivateRuntime;

  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name, 'default');
  const claim = (volume: string, claimName: string) => ({ name: volume, persistentVolumeClaim: { claimName } });
  const target = (pod: Pod, volume: string) =>
    join(cluster.root, 'pods', pod.metadata?.uid ?? '', 'volumes/kubernetes.io~csi', volume, 'mount');
  const events = () => cluster.server.objects.list<KubeObject & { reason: string; message: string }>('events');
  const callsOf = (method: string) => cluster.driver.calls.filter((call) => call.method === method).map(({ request }) => request);
  const running = (name: string) =>
    until(`${name} to run`, async () => get(name)?.status?.phase === 'Running').catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(events().map(({ reason, message }) => `${reason} ${message}`))}`);
    });
  const remove = async (name: string) => {
    cluster.server.objects.delete('pods', name);
    await until(`${name} to be removed`, async () => get(name) === undefined);
  };
  const mounts = () =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((path) => path.startsWith(`${cluster.root}/`));
  /** Nothing mounted, no folder of a pod, nothing staged. */
  const nothingLeft = async () => {
    await until('everything to be unmounted and removed', async () => mounts().length === 0 && podFolders().length === 0);
    const staged = join(cluster.root, 'plugins/kubernetes.io/csi', driverName);
    await until('everything to be unstaged', async () => !existsSync(staged) || readdirSync(staged).length === 0);
  };
  const podFolders = () => (existsSync(join(cluster.root, 'pods')) ? readdirSync(join(cluster.root, 'pods')) : []);

  beforeAll(async () => {
    runtime = await testRuntime.start();
    cluster = await createCluster(runtime);
  });
  cleanUpAfterAll({
    'the agent': () => cluster?.agent.end('SIGKILL'),
    'the driver': () => cluster?.driver.kill(),
    'the API server': () => cluster?.server.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(cluster?.work),
  });

  it('registers a driver on a fresh node, whose CSINode has null for drivers: it is in the CSINode and in the annotation', async () => {
    const fresh = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'fresh' }, spec: { drivers: [] } };
    expect(cluster.server.objects.create<CSINode>(fresh).spec.drivers).toBeNull();
    const csiNode = () => cluster.server.objects.get<CSINode>('csinodes', nodeName);
    await until('the driver in the CSINode', async () => csiNode()?.spec.drivers?.some(({ name }) => name === driverName));
    expect(csiNode()?.spec.drivers).toMatchObject([{ name: driverName, nodeID: `node-of-${driverName}` }]);
    const node = cluster.server.objects.get<Node>('nodes', nodeName);
    expect(node?.metadata?.annotations?.['csi.volume.kubernetes.io/nodeid']).toBe(`{"${driverName}":"node-of-${driverName}"}`);
    await until('the node to be ready', async () =>
      cluster.server.objects
        .get<Node>('nodes', nodeName)
        ?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
  });

  it('a pod writes to its claim, and the next one finds it there', async () => {
    provision(cluster, 'books');
    const first = runPod(cluster, 'writer', claim('data', 'books'));
    await running('writer');
    await until('the pod to write', async () => cluster.driver.read('vol-books', 'past').includes('I am writer'));
    expect(mounts()).toContain(target(first, 'pv-books'));
    expect(callsOf('nodeStageVolume')[0]).toMatchObject({ volumeId: 'vol-books', publishContext: { slot: '7' } });
    expect(callsOf('nodePublishVolume')[0]).toMatchObject({
      volumeId: 'vol-books',
      targetPath: target(first, 'pv-books'),
      volumeContext: { 'csi.storage.k8s.io/pod.name': 'writer', 'csi.storage.k8s.io/ephemeral': 'false' },
    });
    await until('the volume in use', async () =>
      cluster.server.objects.get<Node>('nodes', nodeName)?.status?.volumesInUse?.includes(uniqueName('books')),
    );

    await remove('writer');
    await nothingLeft();
    expect(cluster.driver.read('vol-books', 'past')).toBe('I am writer\n');
    runPod(cluster, 'reader', claim('data', 'books'));
    await running('reader');
    await until('the pod to write', async () => cluster.driver.read('vol-books', 'past') === 'I am writer\nI am reader\n');
  });

  it('an expanded claim makes the driver expand the mounted volume, and an event reports it', async () => {
    const { objects } = cluster.server;
    objects.update('persistentvolumes', 'pv-books', (volume: KubeObject & { spec: { capacity: object } }) => {
      volume.spec.capacity = { storage: '2Gi' };
    });
    objects.update(
      'persistentvolumeclaims',
      'books',
      ({ status }: PersistentVolumeClaim) =>
        Object.assign(status ?? {}, {
          allocatedResources: { storage: '2Gi' },
          allocatedResourceStatuses: { storage: 'NodeResizePending' },
        }),
      { namespace: 'default', subresource: 'status' },
    );
    const status = () => objects.get<PersistentVolumeClaim>('persistentvolumeclaims', 'books', 'default')?.status;
    await until('the claim to have grown', async () => status()?.capacity?.storage === '2Gi');
    expect(status()?.allocatedResourceStatuses?.storage).toBeUndefined();
    expect(callsOf('nodeExpandVolume')).toMatchObject([{ volumeId: 'vol-books', capacityRange: { requiredBytes: 2n ** 31n } }]);
    await until('the event', async () => events().some(({ reason }) => reason === 'FileSystemResizeSuccessful'));
    const volumePath = target(get('reader') ?? {}, 'pv-books');
    await until('the driver to be asked how full the volume is', async () =>
      callsOf('nodeGetVolumeStats').some((asked) => asked.volumeId === 'vol-books' && asked.volumePath === volumePath),
    );
    expect(get('reader')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('a driver that is killed between stage and publish and comes back under another socket: the pod starts', async () => {
    provision(cluster, 'letters');
    cluster.driver.fail('nodePublishVolume', { hang: true });
    const published = callsOf('nodePublishVolume').length;
    runPod(cluster, 'writer2', claim('data', 'letters'));
    await until('the driver to be asked to publish', async () => callsOf('nodePublishVolume').length > published);
    await cluster.driver.kill();
    await until('an event with the cause', async () =>
      events().some(
        ({ reason, message }) => reason === 'FailedMount' && message.includes('MountVolume.SetUp failed for volume "pv-letters"'),
      ),
    );
    expect(get('reader')?.status?.phase).toBe('Running');
    await cluster.driver.restart();
    await running('writer2');
    await until('the pod to write', async () => cluster.driver.read('vol-letters', 'past') === 'I am writer2\n');
    await remove('writer2');
  });

  it('errors of the driver keep a pod waiting, with an event that names them, and then it starts', async () => {
    cluster.driver.fail('nodePublishVolume', { status: 'Internal', message: 'the shelf is full', times: 2 });
    runPod(cluster, 'scratch', { name: 'data', csi: { driver: driverName, volumeAttributes: { pool: 'fast' } } });
    await until('an event with the cause', async () => events().some(({ message }) => message.includes('the shelf is full')));
    await running('scratch');
    const inline = callsOf('nodePublishVolume').findLast(({ volumeId }) => String(volumeId).startsWith('csi-'));
    expect(inline).toMatchObject({
      stagingTargetPath: '',
      volumeContext: { pool: 'fast', 'csi.storage.k8s.io/ephemeral': 'true', 'csi.storage.k8s.io/pod.name': 'scratch' },
    });
  });

  it('a projected volume has a token of the pod for its service account', async () => {
    const token = { path: 'token', audience: 'shop', expirationSeconds: 600 };
    const volume = { name: 'data', projected: { sources: [{ serviceAccountToken: token }] } };
    const { metadata } = runPod(cluster, 'bearer', volume, 'stat -L -c "%a %u" /data/token; cat /data/token; echo');
    await running('bearer');
    const log = join(cluster.work, 'logs', `default_bearer_${metadata?.uid}`, 'main/0.log');
    const lines = () => (existsSync(log) ? textOfLog(log) : '').trim().split('\n');
    await until('the container to read it', async () => lines().length === 2);
    const [access, jwt = ''] = lines();
    expect(access).toBe('644 0');
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      ...{ sub: 'system:serviceaccount:default:default', aud: ['shop'] },
      'kubernetes.io': { pod: { name: 'bearer', uid: metadata?.uid } },
    });
    await remove('bearer');
  });

  it('a restarted agent finds its volumes after a kill and keeps them mounted', async () => {
    await cluster.agent.end('SIGKILL');
    cluster.server.objects.delete('pods', 'scratch');
    cluster.agent = startAgent(cluster.flags);
    await until('scratch to be removed', async () => get('scratch') === undefined);
    expect(get('reader')?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, state: { running: {} } });
    const needed = [csiStagePath(volumePaths(cluster.root), driverName, 'vol-books'), target(get('reader') ?? {}, 'pv-books')];
    await until('only what the reader needs to be mounted', async () => String(mounts().sort()) === String(needed.sort()));
  });

  it('removed pods leave no mount, no folder and no staged volume', async () => {
    await remove('reader');
    await nothingLeft();
    expect(cluster.driver.read('vol-books', 'past')).toBe('I am writer\nI am reader\n');
    const inUse = () => cluster.server.objects.get<Node>('nodes', nodeName)?.status?.volumesInUse ?? [];
    await until('no volume to be in use', async () => inUse().length === 0);
  });
});
