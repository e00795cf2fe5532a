import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeObject, type Pod, podUid } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { testImage } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';
import { type DraDriverProcess, startDraDriver } from '../support/dra-driver/dra-driver.js';
import { until } from '../support/until.js';

const driverName = 'gpu.example.com';
/** Reports the variable of the CDI device, and whether its device node is there, as the termination message. */
const report = 'echo "$GPU $(test -c /dev/test-gpu && echo node)" > /dev/termination-log; trap "exit 0" TERM; sleep infinity & wait $!';

describeOnContainerd('dynamic resource allocation', ['2'], (binaries) => {
  const cluster = useClusterNode(binaries, { scheduler: false });
  let driver: DraDriverProcess;
  beforeAll(async () => {
    const { cdiFolder } = cluster.containerd;
    mkdirSync(cdiFolder, { recursive: true });
    const containerEdits = { env: ['GPU=claimed'], deviceNodes: [{ path: '/dev/test-gpu', hostPath: '/dev/null' }] };
    const spec = { cdiVersion: '0.6.0', kind: 'example.com/gpu', devices: [{ name: 'gpu', containerEdits }] };
    writeFileSync(join(cdiFolder, 'gpu.json'), JSON.stringify(spec));
    driver = await startDraDriver(driverName, cluster.work.root);
  });
  cleanUpAfterAll({ 'the driver': () => driver?.kill() });

  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name, 'default');
  const phase = (name: string) => get(name)?.status?.phase;
  const remove = (name: string) => cluster.server.objects.delete('pods', name, { namespace: 'default' });
  const methods = () => driver.calls.map(({ method }) => method);

  /** Creates a pod with the claim, and then the claim, which only then can be reserved for the pod. */
  function create(name: string): void {
    const container = { name: 'main', image: testImage, command: ['sh', '-c', report], resources: { claims: [{ name: 'gpu' }] } };
    const { metadata, ...pod } = buildPod({
      ...{ name, nodeName: 'e2e', terminationGracePeriodSeconds: 10, containers: [container] },
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
    });
    cluster.server.objects.create({ ...pod, metadata: { name, namespace: metadata?.namespace } } as never);
    reserve(name);
  }

  /** Allocates a device to the claim, as the scheduler does. */
  function reserve(name: string): void {
    const uid = podUid(get(name) as Pod);
    const results = [{ request: 'gpu', driver: driverName, pool: 'e2e', device: 'gpu0' }];
    cluster.server.objects.create({
      ...{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'gpu', namespace: 'default' } },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
      status: { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name, uid }] },
    } as never);
  }

  it('starts a container with the devices of its claim, and unprepares them before the pod has terminated', async () => {
    create('claims');
    await until('the pod to run', async () => phase('claims') === 'Running', 60_000);
    expect(methods()).toEqual(['prepare']);
    await cluster.agent.end('SIGKILL');
    cluster.restart();
    await until('the agent to report the pod again', async () => cluster.agent.lines.length > 0 && phase('claims') === 'Running');
    remove('claims');
    await until('the pod to be removed', async () => get('claims') === undefined, 60_000);
    expect(methods()).toEqual(['prepare', 'unprepare']);
    expect(cluster.server.objects.get<KubeObject>('resourceclaims.resource.k8s.io', 'gpu', 'default')).toBeDefined();
  }, 200_000);
});
