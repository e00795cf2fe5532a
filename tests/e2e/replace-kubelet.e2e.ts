import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigMap, KubeObject, Lease, Pod } from '@nodeagent/api';
import { createCriClient } from '@nodeagent/cri-client';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, type Workspace } from '../support/agent/workspace.js';
import { type KubeletProcess, kubeletBinary, startKubelet } from '../support/kubelet/kubelet-process.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const nodeName = 'e2e';
const token = 'abcdef.0123456789abcdef';

if (kubeletBinary === undefined) throw new Error('NODEAGENT_KUBELET must name a kubelet');
const binary = kubeletBinary;
describeOnRuntimes('nodeagent between two runs of a kubelet', ['2', '1.6'], (testRuntime) => testReplacement(testRuntime, binary));

/** docs/replace-a-kubelet.md describes what these tests show. */
function testReplacement(testRuntime: TestRuntime, binary: string): void {
  let runtime: PrivateRuntime;
  let server: TestApiServer;
  let work: Workspace;
  let kubelet: KubeletProcess | undefined;
  let agent: AgentProcess | undefined;
  const users = new Set<string>();

  beforeEach(async () => {
    runtime = await testRuntime.start();
    work = createWorkspace(nodeName);
    server = createTestApiServer({
      network: machineNetwork,
      scheduler: true,
      nodeRestriction: true,
      tokens: { [token]: { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } },
      certificateSigner: {},
      onRequest: ({ user }) => void users.add(user.username),
    });
    await server.listen({ tls: true });
    writeFileSync(kubeconfig(), server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
    mkdirSync(work.manifests, { recursive: true });
  });
  afterEach(async () => {
    await kubelet?.stop('SIGKILL');
    await agent?.end('SIGKILL');
    await server.close();
    await runtime.cleanup();
    work.remove();
  });

  const kubeconfig = () => join(work.dir, 'node-config');
  const podLogsDir = () => join(work.dir, 'logs');
  const kubeletRoot = () => join(work.dir, 'kubelet');

  function runKubelet(bootstrap: { bootstrapKubeconfig?: string } = {}): void {
    const { dir, manifests } = work;
    const places = { dir, manifests, rootDir: kubeletRoot(), podLogsDir: podLogsDir(), kubeconfig: kubeconfig() };
    kubelet = startKubelet({ ...places, ...bootstrap, binary, endpoint: runtime.endpoint, nodeName });
  }

  /** With the pods in the cgroups in which a kubelet expects them: it kills pods that have none there. */
  function runAgent(rootDir: string, flags: readonly string[] = []): void {
    const config = join(work.dir, 'nodeagent.json');
    const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    const cgroups = { cgroupsPerQOS: true, cgroupDriver: 'cgroupfs' };
    writeFileSync(
      config,
      JSON.stringify({
        ...kind,
        ...cgroups,
        staticPodPath: work.manifests,
        containerRuntimeEndpoint: runtime.endpoint,
        syncFrequency: '2s',
      }),
    );
    const places = ['--root-dir', rootDir, '--pod-logs-dir', podLogsDir(), '--kubeconfig', kubeconfig()];
    agent = startAgent([...places, '--cgroup-root', '/', '--config', config, '--node-name', nodeName, ...flags]);
  }

  const pod = (name: string) => server.objects.get<Pod>('pods', name);
  const statusOf = (name: string) => pod(name)?.status?.containerStatuses?.[0];
  const containerOf = (name: string) => ({ containerID: statusOf(name)?.containerID, restartCount: statusOf(name)?.restartCount });
  const runs = (name: string) => until(`pod ${name} to be ready`, async () => statusOf(name)?.ready);

  async function inContainer(name: string, script: string): Promise<string> {
    const containerId = statusOf(name)?.containerID?.replace(/^.*:\/\//, '') ?? '';
    const { runtime: service, close } = createCriClient({ endpoint: runtime.endpoint });
    const { stdout } = await service.execSync({ containerId, cmd: ['sh', '-c', script] });
    close();
    return Buffer.from(stdout).toString();
  }

  function createPod(name: string): void {
    const volumes = [
      { name: 'scratch', emptyDir: { medium: 'Memory' as const } },
      { name: 'settings', configMap: { name: 'settings' } },
    ];
    server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            ...container,
            env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } }],
            resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
            livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
            volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
          },
        ],
        volumes,
      },
    });
  }
  const container = { name: 'main', image: testImage, imagePullPolicy: 'IfNotPresent' as const, command: ['sleep', '100000'] };

  /** A manifest that names the pod's UID: without it, kubelet and agent derive different ones, and the new agent replaces the pod. */
  const writeStaticPod = () => {
    const metadata = { name: 'static', uid: '8d5dfd2c-1c0b-4a36-a0a5-2f4f4d7c8a01' };
    work.write('static.json', JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } }));
  };

  const setColour = (colour: string) =>
    server.objects.update<ConfigMap>('configmaps', 'settings', (settings) => {
      settings.data = { colour };
    });
  const colourIn = (name: string) => inContainer(name, 'cat /settings/colour');

  it.each([
    { rootDir: 'that of the kubelet', isShared: true },
    { rootDir: 'a separate one', isShared: false },
  ])('keeps the containers of all pods; root directory of the agent: $rootDir', { timeout: 300_000 }, async ({ isShared }) => {
    server.objects.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } });
    writeStaticPod();
    runKubelet();
    await until('the node', async () => server.objects.get('nodes', nodeName));
    createPod('of-kubelet');
    const ofKubelet = ['of-kubelet', `static-${nodeName}`];
    for (const name of ofKubelet) await runs(name);
    await inContainer('of-kubelet', 'echo kept > /scratch/file');
    const before = new Map(ofKubelet.map((name) => [name, containerOf(name)]));
    await kubelet?.stop();

    runAgent(isShared ? kubeletRoot() : work.root);
    createPod('of-agent');
    await runs('of-agent');
    before.set('of-agent', containerOf('of-agent'));
    setColour('green');
    await until('the volume of a new pod', async () => (await colourIn('of-agent')) === 'green');
    if (isShared) await until('the volume of an older pod', async () => (await colourIn('of-kubelet')) === 'green');
    // The container has the files of the other root directory, which no agent writes now.
    else expect(await colourIn('of-kubelet')).toBe('blue');
    await agent?.end('SIGTERM');
    expect(agent?.lines.filter(({ msg }) => /cannot read|broken/.test(msg))).toEqual([]);

    runKubelet();
    createPod('last');
    await runs('last');
    for (const [name, container] of before) expect(containerOf(name), name).toEqual(container);
    expect(await inContainer('of-kubelet', 'cat /scratch/file')).toBe('kept\n');
    const reasons = server.objects.list<KubeObject & { reason: string }>('events').map(({ reason }) => reason);
    expect(reasons).not.toContain('Killing');
    // The kubelet reads the resources of the agent's pods in the shared root directory.
    if (isShared) expect(reasons).not.toContain('ResizeCompleted');

    const volumes = `${kubeletRoot()}/pods/${pod('of-kubelet')?.metadata?.uid}/volumes`;
    const areMounted = () => readFileSync('/proc/mounts', 'utf8').includes(volumes);
    expect(areMounted()).toBe(true);
    server.objects.delete('pods', 'of-kubelet');
    await until('the volumes to be unmounted', async () => !areMounted());
  });

  it('keeps the identity that the kubelet got by its bootstrap', { timeout: 300_000 }, async () => {
    const bootstrapKubeconfig = join(work.dir, 'bootstrap-config');
    writeFileSync(bootstrapKubeconfig, server.kubeconfig({ token }));
    rmSync(kubeconfig());
    const pki = join(kubeletRoot(), 'pki');
    const identity = () => ({
      files: readdirSync(pki).filter((name) => name.startsWith('kubelet-client')),
      current: realpathSync(join(pki, 'kubelet-client-current.pem')),
      kubeconfig: readFileSync(kubeconfig(), 'utf8'),
      requests: server.objects.list('certificatesigningrequests').length,
    });
    const leaseOf = () => server.objects.get<Lease>('leases', nodeName, 'kube-node-lease')?.spec?.renewTime;
    const renews = async (who: string) => {
      const before = leaseOf();
      await until(`${who} to renew the lease`, async () => leaseOf() !== before);
    };
    runKubelet({ bootstrapKubeconfig });
    await until('the node of the kubelet', async () => server.objects.get('nodes', nodeName));
    await renews('the kubelet');
    await kubelet?.stop();
    const before = identity();
    expect(before).toMatchObject({ requests: 1 });

    users.clear();
    runAgent(kubeletRoot(), ['--bootstrap-kubeconfig', bootstrapKubeconfig, '--rotate-certificates']);
    await renews('the agent');
    expect([...users]).toEqual([`system:node:${nodeName}`]);
    await agent?.end('SIGTERM');
    expect(identity()).toEqual(before);

    // Now the agent requests the identity, and the kubelet keeps it.
    rmSync(kubeconfig());
    rmSync(pki, { recursive: true });
    runAgent(kubeletRoot(), ['--bootstrap-kubeconfig', bootstrapKubeconfig, '--rotate-certificates']);
    await renews('the agent with another identity');
    await agent?.end('SIGTERM');
    const ofAgent = identity();
    expect(ofAgent).toMatchObject({ requests: 2, kubeconfig: before.kubeconfig });
    users.clear();
    runKubelet({ bootstrapKubeconfig });
    await renews('the kubelet with the identity of the agent');
    expect([...users]).toEqual([`system:node:${nodeName}`]);
    expect(identity()).toEqual(ofAgent);
  });
}
