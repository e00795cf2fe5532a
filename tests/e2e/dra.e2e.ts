import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod, ResourceClaim } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type DraDriverProcess, startDraDriver } from '../support/dra-driver/dra-driver.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const driverName = 'gpu.example.com';
/** Reports the variable of the CDI device, and whether its device node is there, as the termination message. */
const report = 'echo "$GPU $(test -c /dev/test-gpu && echo node)" > /dev/termination-log';
const forever = 'trap "exit 0" TERM; sleep infinity & wait $!';

describeOnRuntimes('dynamic resource allocation', ['2'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime, { scheduler: false });
  let driver: DraDriverProcess;
  beforeAll(async () => {
    const { cdiFolder } = cluster.runtime;
    mkdirSync(cdiFolder, { recursive: true });
    const containerEdits = { env: ['GPU=claimed'], deviceNodes: [{ path: '/dev/test-gpu', hostPath: '/dev/null' }] };
    const spec = { cdiVersion: '0.6.0', kind: 'example.com/gpu', devices: [{ name: 'gpu', containerEdits }] };
    writeFileSync(join(cdiFolder, 'gpu.json'), JSON.stringify(spec));
    driver = await startDraDriver(driverName, cluster.work.root);
    await registration();
  });
  cleanUpAfterAll({ 'the driver': () => driver?.kill() });

  /** As in a kubelet, the worker of a pod whose driver is not registered yet retries only after a minute. */
  const registration = () =>
    cluster.agent.line('the registration', ({ msg, plugin }) => msg === 'plugin registered' && plugin === driverName);
  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name, 'default');
  const phase = (name: string) => get(name)?.status?.phase;
  const remove = (name: string) => cluster.server.objects.delete('pods', name, { namespace: 'default' });
  const methods = () => driver.calls.map(({ method }) => method);

  /** Creates a pod, and reserves the claim for it before the agent can receive the pod. */
  function create(name: string, script: string): void {
    const container = { name: 'main', image: testImage, command: ['sh', '-c', script], resources: { claims: [{ name: 'gpu' }] } };
    const { metadata, ...pod } = buildPod({
      ...{ name, nodeName: 'e2e', terminationGracePeriodSeconds: 10, restartPolicy: 'Never', containers: [container] },
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
    });
    const created = cluster.server.objects.create({ ...pod, metadata: { name, namespace: metadata?.namespace } } as never);
    allocate({ resource: 'pods', name, uid: podUid(created) });
  }

  /** Allocates a device to the claim and reserves it for the pod, as the scheduler does. */
  function allocate(pod: { resource: string; name: string; uid: string }): void {
    const { objects } = cluster.server;
    const resource = 'resourceclaims.resource.k8s.io';
    if (objects.get(resource, 'gpu', 'default') === undefined) {
      const metadata = { name: 'gpu', namespace: 'default' };
      const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } };
      objects.create({ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec } as never);
    }
    const results = [{ request: 'gpu', driver: driverName, pool: 'e2e', device: 'gpu0' }];
    const change = (claim: ResourceClaim) => {
      claim.status = { allocation: { devices: { results } }, reservedFor: [...(claim.status?.reservedFor ?? []), pod] };
    };
    objects.update<ResourceClaim>(resource, 'gpu', change, { subresource: 'status' });
  }

  it('starts a container with the devices of its claim, and unprepares them before the pod has terminated', async () => {
    create('job', report);
    await until('the pod to succeed', async () => phase('job') === 'Succeeded');
    expect(get('job')?.status?.containerStatuses?.[0]?.state?.terminated?.message).toBe('claimed node\n');
    expect(methods()).toEqual(['prepare', 'unprepare']);
    remove('job');
    await until('the pod to be removed', async () => get('job') === undefined);
  });

  it('reports the health of the devices of a container as the driver does', async () => {
    create('watched', forever);
    await until('the pod to run', async () => phase('watched') === 'Running');
    const reported = () => get('watched')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus;
    expect(reported()).toEqual([{ name: 'claim:gpu', resources: [{ resourceID: 'example.com/gpu=gpu', health: 'Unknown' }] }]);
    for (const [health, shown] of [
      ['UNHEALTHY', 'Unhealthy'],
      ['HEALTHY', 'Healthy'],
    ] as const) {
      driver.setHealth({ gpu: health });
      await until(`the device to be ${shown}`, async () => reported()?.[0]?.resources?.[0]?.health === shown);
    }
    remove('watched');
    await until('the pod to be removed', async () => get('watched') === undefined);
  });

  it('unprepares the claim of a pod that started before the agent and the driver were killed', async () => {
    create('server', forever);
    await until('the pod to run', async () => phase('server') === 'Running');
    expect(methods().slice(4)).toEqual(['prepare']);
    await cluster.agent.end('SIGKILL');
    await driver.kill();
    cluster.restart();
    await driver.restart();
    await registration();
    remove('server');
    await until('the pod to be removed', async () => get('server') === undefined, 120_000);
    expect(methods().slice(4)).toEqual(['prepare', 'unprepare']);
    expect(cluster.agent.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
