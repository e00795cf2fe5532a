import type { KubeObject } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';

const labels = { app: 'web' };
const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '200m', memory: '100Mi' } } }];
const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers } };
const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
  spec: { replicas: 1, selector: { matchLabels: labels }, template },
} as KubeObject;

interface Autoscaler extends KubeObject {
  status: { currentReplicas: number; desiredReplicas: number; currentMetrics: unknown; conditions: { type: string; reason: string }[] };
}

const autoscaler = (spec: object = {}, name = 'web') =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 10, ...spec },
  }) as KubeObject;

const read = (cluster: TestCluster, name = 'web') =>
  cluster.server.objects.get('horizontalpodautoscalers.autoscaling', name) as unknown as Autoscaler;
const reasons = (cluster: TestCluster, name = 'web') =>
  read(cluster, name).status.conditions.map(({ type, reason }) => `${type} ${reason}`);
const events = (cluster: TestCluster) =>
  cluster.server.objects
    .list<KubeObject & { reason: string; message: string; count: number; involvedObject: { kind: string } }>('events')
    .filter(({ involvedObject }) => involvedObject.kind === 'HorizontalPodAutoscaler');

const utilization = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const external = (value: string) => ({
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: value } },
});
const running = (cluster: TestCluster) => cluster.pods().filter(isPodReady).length;

/** CPU in millicores that the ready pods share. */
function share(cluster: TestCluster, load: () => number): void {
  cluster.script('main', { usage: () => ({ nanoCores: (load() * 1e6) / Math.max(1, cluster.pods().filter(isPodReady).length) }) });
}

it('scales a Deployment up under load, and down five minutes after it', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  let load = 50;
  share(cluster, () => load);
  cluster.apply(deployment);
  cluster.apply(autoscaler({ metrics: [utilization(50)] }));
  const timeline: string[] = [];
  const follow = async (periods: number) => {
    for (let n = 0; n < periods; n++) {
      await cluster.advance('15s');
      const { currentReplicas, desiredReplicas } = read(cluster).status;
      const size = `${currentReplicas}, desired ${desiredReplicas}`;
      if (!timeline.at(-1)?.endsWith(`: ${size}`)) timeline.push(`${(cluster.clock.now() - start) / 1000} s: ${size}`);
    }
  };
  const start = cluster.clock.now();
  await follow(4);
  load = 550;
  await follow(8);
  expect(read(cluster).status.currentMetrics).toEqual([
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 46, averageValue: '92m' } } },
  ]);
  load = 80;
  await follow(28);
  expect(timeline).toEqual([
    '15 s: 1, desired 1',
    '75 s: 1, desired 4',
    '90 s: 4, desired 6',
    '105 s: 6, desired 6',
    '480 s: 6, desired 1',
    '495 s: 1, desired 1',
  ]);
  const above = 'cpu resource utilization (percentage of request) above target';
  expect(events(cluster).map(({ message }) => message)).toEqual([
    `New size: 4; reason: ${above}`,
    `New size: 6; reason: ${above}`,
    'New size: 1; reason: All metrics below target',
  ]);
  expect(await cluster.stop()).toBe(0);
});

it('counts an event that it repeats, and reads a metric as soon as there is one', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  cluster.apply(deployment);
  cluster.apply(autoscaler({ metrics: [external('5')] }));
  await cluster.advance('1m');
  expect(reasons(cluster)).toEqual(['AbleToScale SucceededGetScale', 'ScalingActive FailedGetExternalMetric']);
  expect(events(cluster).map(({ reason, count }) => `${reason} ${count}`)).toEqual([
    'FailedGetExternalMetric 4',
    'FailedComputeMetricsReplicas 4',
  ]);
  cluster.metric('queue', '18');
  await cluster.advance('15s');
  expect(read(cluster).status).toMatchObject({ currentReplicas: 1, desiredReplicas: 4 });
  await cluster.until(() => running(cluster) === 4);
  expect(await cluster.stop()).toBe(0);
});

const custom = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'webs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'webs', kind: 'Web' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' },
        },
      },
    ],
  },
} as KubeObject;

it('scales all kinds of workloads with replicas', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  const kinds = [
    ['Deployment', 'apps/v1', (app: string) => ({ matchLabels: { app } })],
    ['ReplicaSet', 'apps/v1', (app: string) => ({ matchExpressions: [{ key: 'app', operator: 'In', values: [app, 'other'] }] })],
    ['StatefulSet', 'apps/v1', (app: string) => ({ matchLabels: { app } })],
    ['ReplicationController', 'v1', (app: string) => ({ app })],
  ] as const;
  cluster.metric('rate', ({ type, object }) => (type === 'Pods' && object?.name.startsWith('web-') ? 20 : undefined));
  const pods = { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '10' } };
  const nameOf = (kind: string) => `web-${kind.toLowerCase()}`;
  for (const [kind, apiVersion, selectorOf] of kinds) {
    const name = nameOf(kind);
    const own = { ...template, metadata: { labels: { app: name } } };
    const spec = { replicas: 1, selector: selectorOf(name), template: own };
    cluster.apply({ apiVersion, kind, metadata: { name }, spec } as KubeObject);
    const metrics = [{ type: 'Pods', pods }];
    cluster.apply(autoscaler({ scaleTargetRef: { apiVersion, kind, name }, maxReplicas: 2, metrics }, name));
  }
  await cluster.until(() => running(cluster) === 8);
  await cluster.advance('30s');
  for (const [kind] of kinds) {
    const expected = ['AbleToScale ReadyForNewScale', 'ScalingActive ValidMetricFound', 'ScalingLimited TooManyReplicas'];
    expect(reasons(cluster, nameOf(kind))).toEqual(expected);
  }
  expect(await cluster.stop()).toBe(0);
});

it('scales a custom resource with a Scale', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  cluster.apply(custom);
  await cluster.advance('1s');
  const status = { size: 2, selector: 'app=web' };
  const object = { apiVersion: 'example.com/v1', kind: 'Web', metadata: { name: 'web' }, spec: { size: 2 }, status };
  cluster.apply(object as KubeObject);
  cluster.metric('queue', 15);
  cluster.apply(autoscaler({ scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Web', name: 'web' }, metrics: [external('5')] }));
  await cluster.advance('16s');
  expect(cluster.server.objects.get('webs', 'web')).toMatchObject({ spec: { size: 3 }, status });
  expect(await cluster.stop()).toBe(0);
});

it('reports a target that cannot be scaled', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const targets = [
    ['apps/v1', 'Deployment', 'deployments/scale.apps "absent" not found'],
    ['apps/v1', 'DaemonSet', 'the server could not find the requested resource'],
    ['example.com/v1', 'Web', 'no matches for kind "Web" in group "example.com"'],
  ] as const;
  for (const [apiVersion, kind] of targets) {
    cluster.apply(autoscaler({ scaleTargetRef: { apiVersion, kind, name: 'absent' } }, kind.toLowerCase()));
  }
  await cluster.advance('15s');
  const texts = events(cluster).map(({ reason, message }) => `${reason}: ${message}`);
  expect(new Set(texts)).toEqual(new Set(targets.map(([, , why]) => `FailedGetScale: ${why}`)));
  expect(await cluster.stop()).toBe(0);
});

it('does nothing for pods that two autoscalers select', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  cluster.apply(deployment);
  cluster.metric('queue', 1);
  for (const name of ['web', 'also']) cluster.apply(autoscaler({ metrics: [external('5')] }, name));
  await cluster.advance('45s');
  for (const name of ['web', 'also']) {
    expect(read(cluster, name).status.conditions.map(({ reason }) => reason)).toContain('AmbiguousSelector');
  }
  cluster.server.objects.delete('horizontalpodautoscalers.autoscaling', 'also');
  await cluster.advance('15s');
  expect(reasons(cluster)).toContain('ScalingActive ValidMetricFound');
  expect(await cluster.stop()).toBe(0);
});

it('has no work without an autoscaler', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const before = cluster.clock.pending;
  cluster.apply(autoscaler());
  expect(cluster.clock.pending).toBe(before + 1);
  cluster.server.objects.delete('horizontalpodautoscalers.autoscaling', 'web');
  await cluster.clock.settle();
  expect(cluster.clock.pending).toBe(before);
  expect(await cluster.stop()).toBe(0);
});
