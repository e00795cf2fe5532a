import type { KubeObject } from '@nodeagent/api';
import { createTestCluster } from '@nodeagent/test-cluster';
import { expect, it } from 'vitest';
import { setup } from './programs.js';

it('spreads the load that a controller of consumers is asked for, while it lasts', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  setup(cluster);
  const pod = (name: string, image: string, app: string, args: string[] = []) =>
    cluster.apply({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app } } },
      spec: { containers: [{ name: 'main', image: `registry.k8s.io/e2e-test-images/${image}`, args }] },
    } as KubeObject);
  const ports = [{ port: 80, targetPort: 8080 }];
  for (const app of ['web', 'ctrl'])
    cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: app }, spec: { selector: { app }, ports } } as KubeObject);
  for (const name of ['web-0', 'web-1']) pod(name, 'resource-consumer:1.14', 'web');
  pod('ctrl', 'agnhost:2.63.0', 'ctrl', ['resource-consumer-controller', '--consumer-service-name=web', '--consumer-port=80']);
  await cluster.advance('10s');
  const url = '/api/v1/namespaces/default/services/ctrl:80/proxy/ConsumeCPU?millicores=250&durationSec=30&requestSizeMillicores=100';
  expect(await cluster.clock.run(cluster.server.handle({ method: 'POST', url }))).toMatchObject({ status: 200 });
  const usages = () => cluster.nodes.flatMap(({ runtime }) => runtime.usages().map(({ nanoCores = 0 }) => nanoCores / 1e6));
  expect(usages().sort()).toEqual([0, 100, 150].sort());
  await cluster.advance('31s');
  expect(usages()).toEqual([0, 0, 0]);
  expect(await cluster.stop()).toBe(0);
});
