import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';

it('runs', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  cluster.script('main', { exit: { afterMs: 60_000, code: 1 } });
  cluster.apply<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  });
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  await cluster.advance('1h');
  console.log(cluster.trace.steps(/./).slice(0, 150).join('\n'), cluster.trace.count);
  expect(await cluster.stop()).toBe(0);
});
