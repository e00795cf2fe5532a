import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, Node, Pod } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { seededRandom } from '@nodeagent/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent, startCommand } from '../support/agent/agent-process.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type CsiDriverProcess, startCsiDriver } from '../support/csi-driver/csi-driver.js';
import { removeFolder } from '../support/remove-folder.js';
import { until } from '../support/until.js';

const isRoot = process.getuid?.() === 0;
const nodeName = 'e2e';
const driverName = 'disks.example.com';
const podCount = 20;
const kills = Number(process.env.NODEAGENT_KILLS ?? 15);

/** One of each kind that needs a mount, and some that need none. */
const volumes: NonNullable<NonNullable<Pod['spec']>['volumes']> = [
  { name: 'work', emptyDir: {} },
  { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'login', secret: { secretName: 'login' } },
  { name: 'settings', configMap: { name: 'settings' } },
  { name: 'self', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
  { name: 'disk', csi: { driver: driverName } },
];

/** Where a pod's volumes are mounted, below its folder. */
const podMounts = [
  'volume-subpaths/work/main/6',
  'volumes/kubernetes.io~csi/disk/mount',
  'volumes/kubernetes.io~downward-api/self',
  'volumes/kubernetes.io~empty-dir/fast',
  'volumes/kubernetes.io~secret/login',
];
const podFolders = [
  ...podMounts.filter((path) => path.includes('~') && !path.includes('~csi')),
  'volumes/kubernetes.io~configmap/settings',
  'volumes/kubernetes.io~csi/disk',
  'volumes/kubernetes.io~empty-dir/work',
];

const isSkipped = !isRoot && process.env.NODEAGENT_E2E !== 'required';
if (isSkipped) console.log('skipped: volumes of an agent that is killed, because mounts need root');

describe.skipIf(isSkipped)('volumes of an agent that is killed', () => {
  const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  let work: string;
  let root: string;
  let server: TestApiServer;
  let runtime: AgentProcess;
  let driver: CsiDriverProcess;
  let agent: AgentProcess;
  let launch: () => AgentProcess;
  let created = 0;

  const pods = () => server.objects.list<Pod>('pods', { namespace: 'default' });
  const foldersIn = (path: string) => (existsSync(path) ? readdirSync(path).sort() : []);
  const mountPoints = () =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '');
  const mounts = () =>
    mountPoints()
      .filter((path) => path.startsWith(`${root}/`))
      .sort();
  /** What is on disk of pods' volumes, as `<uid>/volumes/<plugin>/<name>`. */
  const volumeFolders = () =>
    foldersIn(join(root, 'pods'))
      .flatMap((uid) =>
        foldersIn(join(root, 'pods', uid, 'volumes')).flatMap((plugin) =>
          foldersIn(join(root, 'pods', uid, 'volumes', plugin)).map((name) => `${uid}/volumes/${plugin}/${name}`),
        ),
      )
      .sort();

  function create(): void {
    const script =
      'cat /login/password /settings/mode /self/name > /work/seen && echo ok > /disk/$HOSTNAME; trap "exit 0" TERM; sleep infinity & wait $!';
    const whole = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const volumeMounts = [...whole, { name: 'work', mountPath: '/part', subPath: 'deep/part' }];
    server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${created++}` },
      spec: {
        terminationGracePeriodSeconds: 0,
        volumes,
        containers: [{ name: 'main', image: 'host:1', command: ['sh', '-c', script], volumeMounts }],
      },
    });
  }

  /** Waits for them to be equal, and shows the difference if they do not become so. */
  async function equal(what: string, present: () => string[], needed: () => string[]): Promise<void> {
    await until(what, async () => String(present()) === String(needed())).catch(() => {});
    expect(present(), what).toEqual(needed());
  }

  /** A few pods go and as many come. */
  function churn(): void {
    const living = pods().filter(({ metadata }) => metadata?.deletionTimestamp == null);
    for (const { metadata } of living) if (random() < 0.15) server.objects.delete('pods', metadata?.name ?? '');
    while (pods().length < podCount) create();
  }

  beforeAll(async () => {
    console.log(`seed ${seed}: SIMULATION_SEED=${seed}`);
    work = mkdtempSync(join(tmpdir(), 'nodeagent-kill-'));
    root = join(work, 'root');
    server = createTestApiServer({ network: machineNetwork, scheduler: true, nodeRestriction: true });
    await server.listen({ tls: true });
    const identity = { username: `system:node:${nodeName}`, groups: ['system:nodes'] };
    writeFileSync(join(work, 'config'), server.kubeconfig({ user: identity }));
    for (const object of [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password: 'c2VjcmV0' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'fast' } },
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: driverName },
        spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] },
      },
    ])
      server.objects.create(object as KubeObject);
    const socket = join(work, 'cri.sock');
    runtime = startCommand(['runtime', '--type', 'process', '--socket', socket, '--root-dir', join(work, 'runtime')]);
    await runtime.line('the socket', ({ msg }) => msg.includes('serving CRI'));
    driver = await startCsiDriver(driverName, join(work, 'driver'), root);
    launch = () =>
      startAgent([
        ...['--kubeconfig', join(work, 'config'), '--runtime-endpoint', `unix://${socket}`, '--node-name', nodeName],
        ...['--root-dir', root, '--pod-logs-dir', join(work, 'logs'), '--sync-frequency', '10s'],
      ]);
    agent = launch();
    await until('the node to be ready', async () =>
      server.objects.get<Node>('nodes', nodeName)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
  });
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the driver': () => driver?.kill(),
    'the runtime': () => runtime?.end('SIGTERM'),
    'the API server': () => server?.close(),
    'the folder': () => removeFolder(work),
  });

  it(`after ${kills} kills exactly what running pods need is mounted and on disk, and in the end nothing`, async () => {
    for (let killed = 0; killed < kills; killed++) {
      churn();
      // Before its first line it has only loaded its code.
      await agent.line('the agent to begin', () => true);
      await sleep(random() * random() * 900);
      await agent.end('SIGKILL');
      agent = launch();
    }
    console.log(`killed ${kills} times while ${created} pods came and ${created - pods().length} went`);

    const living = () => pods().filter(({ metadata }) => metadata?.deletionTimestamp == null);
    const uids = () => living().map(({ metadata }) => metadata?.uid ?? '');
    const below = (paths: string[]) =>
      uids()
        .flatMap((uid) => paths.map((path) => `${uid}/${path}`))
        .sort();
    await until('all pods to run and deleted ones to be removed', async () => {
      return living().length === pods().length && pods().every(({ status }) => status?.phase === 'Running');
    });
    const present = () => [...mounts(), ...volumeFolders(), ...foldersIn(join(root, 'pods'))];
    const needed = () => [...below(podMounts).map((path) => join(root, 'pods', path)), ...below(podFolders), ...uids().sort()];
    await equal('exactly what running pods need', present, needed);

    for (const { metadata } of pods()) server.objects.delete('pods', metadata?.name ?? '');
    await until('all pods to be removed', async () => pods().length === 0);
    await equal('nothing to be left', present, () => []);

    // The killed runs' own bind of the root folder too.
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(mountPoints().filter((path) => path === root)).toEqual([]);
  });
});
