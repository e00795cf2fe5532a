import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { createCriClient } from '@nodeagent/cri-client';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { beforeAll, expect, it } from 'vitest';
import { createWorkspace, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { required } from '../support/containerd/describe-on-containerd.js';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { type KubeletProcess, kubeletBinary, startKubelet } from '../support/kubelet/kubelet-process.js';
import { describeOnOci } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const nodeName = 'e2e';
const kubectlBinary = provideKubectl(required);

if (kubeletBinary === undefined) throw new Error('NODEAGENT_KUBELET must name a kubelet');
const binary = kubeletBinary;
describeOnOci('a kubelet', testKubelet, { alwaysOnOci: true });

/** A kubelet takes the runtime as it takes any other one: by its socket. */
function testKubelet(testRuntime: TestRuntime): void {
  let runtime: PrivateRuntime;
  let server: TestApiServer;
  let work: Workspace;
  let kubelet: KubeletProcess | undefined;
  let kubectl: Kubectl;

  const get = (name: string) => server.objects.get<Pod>('pods', name);
  const statusOf = (name: string) => get(name)?.status?.containerStatuses?.[0];
  const isReady = (name: string) => until(`${name} to be ready`, async () => isPodReady(get(name) ?? {}));
  const create = (name: string, script: string, container: object = {}, spec: object = {}) =>
    server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: testImage, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script], ...container }],
        ...spec,
      },
    });

  beforeAll(async () => {
    runtime = await testRuntime.start();
    work = createWorkspace(nodeName);
    server = createTestApiServer({ network: machineNetwork, scheduler: true, nodeRestriction: true });
    await server.listen({ tls: true });
    const kubeconfig = join(work.dir, 'node-config');
    writeFileSync(kubeconfig, server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
    writeFileSync(join(work.dir, 'config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    mkdirSync(work.manifests, { recursive: true });
    if (kubectlBinary === undefined) throw new Error('there is no kubectl');
    kubectl = createKubectl(kubectlBinary, work.dir);
    const places = { dir: work.dir, rootDir: join(work.dir, 'kubelet'), podLogsDir: join(work.dir, 'logs'), kubeconfig };
    kubelet = startKubelet({ ...places, binary, endpoint: runtime.endpoint, nodeName });
    await until('the node to be ready', async () =>
      server.objects.get<Node>('nodes', nodeName)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
  });
  cleanUpAfterAll({
    'the kubelet': () => kubelet?.stop('SIGKILL'),
    'the API server': () => server?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => work?.remove(),
  });

  it('runs a pod with probes, and takes part in its logs and commands', async () => {
    create('web', 'mkdir /srv; echo hello > /srv/page; echo serving; exec httpd -f -p 8080 -h /srv', {
      readinessProbe: { httpGet: { path: '/page', port: 8080 }, periodSeconds: 1 },
      livenessProbe: { exec: { command: ['test', '-e', '/srv/page'] }, periodSeconds: 1, failureThreshold: 1 },
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    });
    await isReady('web');
    expect(get('web')?.status?.podIP).toMatch(/^10\./);
    expect(await kubectl.succeeds('logs web')).toBe('serving\n');
    expect(await kubectl.run(['exec', 'web', '--', 'sh', '-c', 'cat /srv/page; exit 3'])).toMatchObject({
      code: 3,
      out: expect.stringContaining('hello\n'),
    });
    expect(await kubectl.succeeds(['exec', '-i', 'web', '--', 'wc', '-c'], 'twelve bytes')).toBe('12\n');
  });

  it('restarts the container when its liveness probe fails', async () => {
    const before = statusOf('web')?.containerID;
    await kubectl.succeeds('exec web -- rm /srv/page');
    await until('the restart', async () => statusOf('web')?.restartCount === 1 && statusOf('web')?.ready);
    expect(statusOf('web')?.containerID).not.toBe(before);
    expect(statusOf('web')?.lastState?.terminated?.reason).toBe('Error');
  });

  it('reports how a container ended, and one that cannot start', async () => {
    create('job', 'echo done > /dev/termination-log; exit 4', {}, { restartPolicy: 'Never' });
    create('wrong', '', { command: ['/no/such'] }, { restartPolicy: 'Never' });
    await until('the ends', async () => ['job', 'wrong'].every((name) => get(name)?.status?.phase === 'Failed'));
    expect(statusOf('job')?.state?.terminated).toMatchObject({ exitCode: 4, reason: 'Error', message: 'done\n' });
    expect(statusOf('wrong')?.state?.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' });
  });

  it('keeps the containers when it is replaced', async () => {
    const before = statusOf('web')?.containerID;
    await kubelet?.stop('SIGKILL');
    const kubeconfig = join(work.dir, 'node-config');
    const places = { dir: work.dir, rootDir: join(work.dir, 'kubelet'), podLogsDir: join(work.dir, 'logs'), kubeconfig };
    kubelet = startKubelet({ ...places, binary, endpoint: runtime.endpoint, nodeName });
    create('next', 'sleep 100000');
    await isReady('next');
    expect(statusOf('web')).toMatchObject({ containerID: before, restartCount: 1, ready: true });
  });

  it('removes deleted pods with all they have', async () => {
    for (const name of ['web', 'job', 'wrong', 'next']) server.objects.delete('pods', name, { namespace: 'default' });
    await until('the pods to be removed', async () => server.objects.list('pods').length === 0);
    const { runtime: service, close } = createCriClient({ endpoint: runtime.endpoint });
    await until('the sandboxes to be removed', async () => (await service.listPodSandbox({})).items.length === 0, 90_000);
    expect((await service.listContainers({})).containers).toEqual([]);
    close();
  });
}
