import type { Scenario } from '../scenario.js';
import { pod, replicaSet, replicationController, scenario } from './objects.js';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

export const replicaSetScenarios: readonly Scenario[] = [
  scenario('replica-set-cost', async (s) => {
    await s.create(replicaSet('web', { replicas: 4 }));
    await s.step('created', 4);
    for (const [n, each] of s.pods().entries()) {
      await s.patch('Pod', each.metadata.name, { metadata: { annotations: { [costAnnotation]: String([5, -3, 9, 0][n]) } } });
    }
    await s.step('costs', 2);
    await s.scale('ReplicaSet', 'web', 2);
    await s.step('scaled down', 4);
  }),
  scenario('replica-set-not-ready-first', async (s) => {
    await s.create(replicaSet('web', { replicas: 3 }));
    await s.step('created', 4);
    const [first] = s.pods();
    if (first) await s.setReady(first, false);
    if (first) await s.patch('Pod', first.metadata.name, { metadata: { annotations: { [costAnnotation]: '100', first: 'yes' } } });
    await s.step('not ready', 2);
    await s.scale('ReplicaSet', 'web', 2);
    await s.step('scaled down', 4);
  }),
  scenario('replica-set-adopts', async (s) => {
    await s.createAll(pod('own'), pod('other', { app: 'other' }));
    await s.step('pods', 4);
    await s.create(replicaSet('web', { replicas: 2 }));
    await s.step('adopted', 4);
    await s.patch('Pod', 'own', { metadata: { labels: { app: 'released' } } });
    await s.step('released', 4);
    await s.patch('Pod', 'own', { metadata: { labels: { app: 'web' } } });
    await s.step('adopted again', 4);
  }),
  scenario('replica-set-quota', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'pods' }, spec: { hard: { pods: '1' } } });
    await s.step('quota', 2);
    await s.create(replicaSet('web', { replicas: 3 }));
    await s.step('refused', 6);
    await s.scale('ReplicaSet', 'web', 1);
    await s.step('scaled down', 8);
  }),
  scenario('replica-set-failed-pods', async (s) => {
    await s.create(replicaSet('web', { replicas: 2 }, { run: 'exit=1@1;run', spec: { nodeSelector: { pool: 'shared' } } }));
    await s.step('failed', 16);
  }),
  scenario('replica-set-min-ready', async (s) => {
    await s.create(replicaSet('web', { replicas: 2, minReadySeconds: 4 }));
    await s.step('ready', 3);
    await s.step('available', 5);
  }),
  scenario('replica-set-foreground', async (s) => {
    await s.create(replicaSet('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.delete('ReplicaSet', 'web', { propagationPolicy: 'Foreground' });
    await s.step('at once', 0.5);
    await s.step('deleted', 4);
  }),
  scenario('replica-set-background', async (s) => {
    await s.create(replicaSet('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.delete('ReplicaSet', 'web', { propagationPolicy: 'Background' });
    await s.step('at once', 0.5);
    await s.step('deleted', 4);
  }),
  scenario('replica-set-orphan', async (s) => {
    await s.create(replicaSet('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.delete('ReplicaSet', 'web', { propagationPolicy: 'Orphan' });
    await s.step('orphaned', 3);
    await s.create(replicaSet('next', { replicas: 1 }));
    await s.step('adopted', 4);
  }),
  scenario('replication-controller', async (s) => {
    await s.create(replicationController('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.scale('ReplicationController', 'web', 3);
    await s.step('scaled up', 4);
    await s.patch('Pod', s.pods()[0]?.metadata.name ?? '', { metadata: { labels: { app: 'released' } } });
    await s.step('released', 4);
    await s.scale('ReplicationController', 'web', 0);
    await s.step('scaled to zero', 4);
    await s.delete('ReplicationController', 'web');
    await s.step('deleted', 4);
  }),
  scenario('replication-controller-quota', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'pods' }, spec: { hard: { pods: '1' } } });
    await s.step('quota', 2);
    await s.create(replicationController('web', { replicas: 2 }));
    await s.step('refused', 6);
    await s.scale('ReplicationController', 'web', 1);
    await s.step('scaled down', 8);
  }),
];
