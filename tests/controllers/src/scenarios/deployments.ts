import type { Scenario } from '../scenario.js';
import { deployment, replicaSet, scenario, template } from './objects.js';

export const deploymentScenarios: readonly Scenario[] = [
  scenario('deployment-rollout', async (s) => {
    await s.create(deployment('web', { replicas: 3 }));
    await s.step('created', 5);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 12);
    await s.setImage('Deployment', 'web', 'web:1');
    await s.step('rolled back', 12);
    await s.delete('Deployment', 'web');
    await s.step('deleted', 5);
  }),
  scenario('deployment-scale', async (s) => {
    await s.create(deployment('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.scale('Deployment', 'web', 5);
    await s.step('scaled up', 4);
    await s.scale('Deployment', 'web', 1);
    await s.step('scaled down', 4);
    await s.scale('Deployment', 'web', 0);
    await s.step('scaled to zero', 4);
  }),
  scenario('deployment-pause', async (s) => {
    await s.create(deployment('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.patch('Deployment', 'web', { spec: { paused: true } });
    await s.step('paused', 2);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated while paused', 3);
    await s.scale('Deployment', 'web', 4);
    await s.step('scaled while paused', 4);
    await s.patch('Deployment', 'web', { spec: { paused: false } });
    await s.step('resumed', 12);
  }),
  scenario('deployment-created-paused', async (s) => {
    await s.create(deployment('web', { replicas: 2, paused: true }));
    await s.step('created', 3);
    await s.patch('Deployment', 'web', { spec: { paused: false } });
    await s.step('resumed', 5);
  }),
  scenario('deployment-deadline', async (s) => {
    await s.create(deployment('web', { replicas: 2, progressDeadlineSeconds: 6 }, { run: 'unready' }));
    await s.step('not ready', 10);
    for (const each of s.pods()) await s.setReady(each, true);
    await s.step('ready after the deadline', 4);
  }),
  scenario('deployment-stuck-rollback', async (s) => {
    await s.create(deployment('web', { replicas: 3, progressDeadlineSeconds: 6 }));
    await s.step('created', 4);
    const { metadata } = template({ run: 'unready' });
    await s.patch('Deployment', 'web', { spec: { template: { metadata, spec: { containers: [{ name: 'main', image: 'web:bad' }] } } } });
    await s.step('stuck', 10);
    await s.patch('Deployment', 'web', {
      spec: { template: { metadata: { annotations: null }, spec: { containers: [{ name: 'main', image: 'web:1' }] } } },
    });
    await s.step('rolled back', 6);
  }),
  scenario('deployment-no-deadline', async (s) => {
    await s.create(deployment('web', { replicas: 1, progressDeadlineSeconds: 2147483647 }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 6);
  }),
  scenario('deployment-surge-none', async (s) => {
    await s.create(deployment('web', { replicas: 3, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 14);
  }),
  scenario('deployment-surge-all', async (s) => {
    await s.create(deployment('web', { replicas: 4, strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } } }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 8);
  }),
  scenario('deployment-unavailable-all', async (s) => {
    await s.create(deployment('web', { replicas: 4, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '100%' } } }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 8);
  }),
  scenario('deployment-surge-one', async (s) => {
    await s.create(deployment('web', { replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 14);
  }),
  scenario('deployment-min-ready', async (s) => {
    await s.create(deployment('web', { replicas: 2, minReadySeconds: 5 }));
    await s.step('ready, not available', 4);
    await s.step('available', 5);
    await s.patch('Deployment', 'web', { spec: { minReadySeconds: 0 } });
    await s.step('changed', 3);
  }),
  scenario('deployment-scale-in-rollout', async (s) => {
    await s.create(deployment('web', { replicas: 4, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } }));
    await s.step('created', 4);
    const { metadata } = template({ run: 'unready' });
    await s.patch('Deployment', 'web', { spec: { template: { metadata } } });
    await s.step('stuck', 5);
    await s.scale('Deployment', 'web', 8);
    await s.step('scaled up', 5);
    await s.scale('Deployment', 'web', 3);
    await s.step('scaled down', 5);
    await s.scale('Deployment', 'web', 0);
    await s.step('scaled to zero', 5);
  }),
  scenario('deployment-recreate', async (s) => {
    await s.create(deployment('web', { replicas: 3, strategy: { type: 'Recreate' } }));
    await s.step('created', 4);
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 8);
  }),
  scenario('deployment-history', async (s) => {
    await s.create(deployment('web', { replicas: 1, revisionHistoryLimit: 1 }));
    await s.step('first', 4);
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await s.setImage('Deployment', 'web', image);
      await s.step(image, 6);
    }
    await s.setImage('Deployment', 'web', 'web:3');
    await s.step('rolled back', 6);
    await s.patch('Deployment', 'web', { spec: { revisionHistoryLimit: 0 } });
    await s.step('without history', 4);
  }),
  scenario('deployment-annotations', async (s) => {
    const created = deployment('web', { replicas: 1 });
    await s.create({ ...created, metadata: { name: 'web', annotations: { team: 'a', 'kubernetes.io/change-cause': 'first' } } });
    await s.step('created', 4);
    await s.patch('Deployment', 'web', { metadata: { annotations: { team: 'b', more: 'c' } } });
    await s.step('annotated', 3);
    await s.patch('Deployment', 'web', { metadata: { annotations: { more: null, 'kubernetes.io/change-cause': 'second' } } });
    await s.setImage('Deployment', 'web', 'web:2');
    await s.step('updated', 6);
  }),
  scenario('deployment-adopts', async (s) => {
    await s.create(replicaSet('old', { replicas: 2 }));
    await s.step('replica set', 4);
    await s.create(deployment('web', { replicas: 2 }));
    await s.step('adopted', 10);
  }),
  scenario('deployment-same-template', async (s) => {
    await s.create(replicaSet('old', { replicas: 2 }));
    await s.step('replica set', 4);
    await s.create(deployment('web', { replicas: 3 }));
    await s.step('adopted', 8);
  }),
  scenario('deployment-quota', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'pods' }, spec: { hard: { pods: '2' } } });
    await s.step('quota', 2);
    await s.create(deployment('web', { replicas: 4 }));
    await s.step('refused', 6);
    await s.patch('ResourceQuota', 'pods', { spec: { hard: { pods: '9' } } });
    await s.step('raised', 20);
  }),
  scenario('deployment-pod-deleted', async (s) => {
    await s.create(deployment('web', { replicas: 2 }));
    await s.step('created', 4);
    await s.delete('Pod', s.pods()[0]?.metadata.name ?? '');
    await s.step('pod deleted', 5);
  }),
  scenario('deployment-readiness', async (s) => {
    await s.create(deployment('web', { replicas: 4 }));
    await s.step('created', 4);
    for (const each of s.pods().slice(0, 2)) await s.setReady(each, false);
    await s.step('half is not ready', 3);
    for (const each of s.pods().slice(0, 2)) await s.setReady(each, true);
    await s.step('ready again', 3);
  }),
  scenario('deployment-orphan', async (s) => {
    await s.create(deployment('web', { replicas: 1 }));
    await s.step('created', 4);
    await s.delete('Deployment', 'web', { propagationPolicy: 'Orphan' });
    await s.step('orphaned', 4);
  }),
  scenario('deployment-foreground', async (s) => {
    await s.create(deployment('web', { replicas: 1 }));
    await s.step('created', 4);
    await s.delete('Deployment', 'web', { propagationPolicy: 'Foreground' });
    await s.step('deleted', 6);
  }),
];
