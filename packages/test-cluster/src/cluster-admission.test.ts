import type { Node as KubeNode, KubeObject } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster } from './index.js';

it('runs pods with the admission plugins of a cluster', async () => {
  const cluster = await createTestCluster({
    nodes: 2,
    server: {
      automountServiceAccountTokens: true,
      enableAdmissionPlugins: ['NodeRestriction', 'TaintNodesByCondition', 'StorageObjectInUseProtection'],
    },
  });
  cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'x:1' }] } },
    },
  } as KubeObject);
  await cluster.until(() => cluster.pods().length === 2 && cluster.pods().every((p) => p.status?.phase === 'Running'), '5m');
  expect(cluster.pods()[0]?.spec?.containers[0]?.volumeMounts).toHaveLength(1);
  expect(cluster.server.objects.list('nodes').map(({ spec }: KubeNode) => spec?.taints ?? [])).toEqual([[], []]);
  expect(await cluster.stop()).toBe(0);
});
