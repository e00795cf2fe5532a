import type { KubeObject } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { elapsedText } from './trace.js';

const labels = { app: 'web' };
const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '200m', memory: '100Mi' } } }];
const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers } };
const workload = (kind = 'Deployment', apiVersion = 'apps/v1', selector: object = { matchLabels: labels }): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'web' }, spec: { replicas: 1, selector, template } }) as KubeObject;

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
const reasons = (cluster: TestCluster) => read(cluster).status.conditions.map(({ type, reason }) => `${type} ${reason}`);
const events = (cluster: TestCluster) =>
  cluster.server.objects
    .list<KubeObject & { reason: string; message: string; involvedObject: { kind: string } }>('events')
    .filter(({ involvedObject }) => involvedObject.kind === 'HorizontalPodAutoscaler');

/** CPU in millicores that the ready pods share. */
function share(cluster: TestCluster, load: () => number): void {
  cluster.script('main', { usage: () => ({ nanoCores: (load() * 1e6) / Math.max(1, cluster.pods().filter(isPodReady).length) }) });
}

it('scales a Deployment up under load, and down five minutes after it', async () => {
  const cluster = await createTestCluster();
  let load = 50;
  share(cluster, () => load);
  cluster.apply(workload());
  cluster.apply(autoscaler({ metrics: [utilization(50)] }));
  await cluster.until(() => cluster.pods().every(isPodReady));
  const start = cluster.clock.now();
  const timeline: string[] = [];
  const steps = async (seconds: number) => {
    for (let n = 0; n < seconds; n++) {
      await cluster.advance('1s');
      const line = `${read(cluster).status?.desiredReplicas ?? '-'} replicas`;
      if (!timeline.at(-1)?.endsWith(` ${line}`)) timeline.push(`${elapsedText(cluster.clock.now() - start)} ${line}`);
    }
  };
  await steps(60);
  load = 550;
  await steps(120);
  load = 80;
  await steps(420);
  expect(timeline).toEqual([]);
  expect(await cluster.stop()).toBe(0);
});

const utilization = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
