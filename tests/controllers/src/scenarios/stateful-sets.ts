import type { Scenario } from '../scenario.js';
import { pod, scenario, statefulSet } from './objects.js';

const claims = [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
  },
];

export const statefulSetScenarios: readonly Scenario[] = [
  scenario('stateful-set-ordered', async (s) => {
    await s.create(statefulSet('db', { replicas: 3, serviceName: 'db' }));
    await s.step('created', 8);
    await s.scale('StatefulSet', 'db', 1);
    await s.step('scaled down', 6);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.scale('StatefulSet', 'db', 2);
    await s.step('updated and scaled up', 10);
    await s.delete('StatefulSet', 'db');
    await s.step('deleted', 4);
  }),
  scenario('stateful-set-parallel', async (s) => {
    await s.create(statefulSet('db', { replicas: 3, serviceName: 'db', podManagementPolicy: 'Parallel' }));
    await s.step('created', 4);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.step('updated', 14);
    await s.scale('StatefulSet', 'db', 0);
    await s.step('scaled to zero', 4);
  }),
  scenario('stateful-set-rolling', async (s) => {
    await s.create(statefulSet('db', { replicas: 3, serviceName: 'db' }));
    await s.step('created', 8);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.step('updated', 14);
    await s.setImage('StatefulSet', 'db', 'web:1');
    await s.step('rolled back', 14);
  }),
  scenario('stateful-set-partition', async (s) => {
    await s.create(statefulSet('db', { replicas: 3, serviceName: 'db', updateStrategy: { rollingUpdate: { partition: 2 } } }));
    await s.step('created', 8);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.step('updated above the partition', 6);
    await s.delete('Pod', 'db-0');
    await s.step('pod below the partition deleted', 5);
    await s.patch('StatefulSet', 'db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await s.step('updated', 10);
  }),
  scenario('stateful-set-on-delete', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db', updateStrategy: { type: 'OnDelete' } }));
    await s.step('created', 6);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.step('updated', 3);
    await s.delete('Pod', 'db-0');
    await s.step('first pod deleted', 5);
    await s.delete('Pod', 'db-1');
    await s.step('second pod deleted', 5);
  }),
  scenario('stateful-set-start-ordinal', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db', ordinals: { start: 3 } }));
    await s.step('created', 6);
    await s.patch('StatefulSet', 'db', { spec: { ordinals: { start: 4 } } });
    await s.step('moved', 8);
  }),
  scenario('stateful-set-min-ready', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db', minReadySeconds: 3 }));
    await s.step('first', 3);
    await s.step('both', 8);
    await s.setImage('StatefulSet', 'db', 'web:2');
    await s.step('updated', 16);
  }),
  scenario('stateful-set-failing', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db' }, { annotations: { 'scenario/run.0': 'exit=1@1;run' } }));
    await s.step('failed and replaced', 18);
  }),
  scenario('stateful-set-stuck-update', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db' }));
    await s.step('created', 6);
    await s.patch('StatefulSet', 'db', { spec: { template: { metadata: { annotations: { 'scenario/run': 'unready' } } } } });
    await s.step('stuck', 6);
    await s.patch('StatefulSet', 'db', { spec: { template: { metadata: { annotations: null } } } });
    await s.step('rolled back, still stuck', 5);
    await s.delete('Pod', 'db-1');
    await s.step('broken pod deleted', 6);
  }),
  scenario('stateful-set-claims', async (s) => {
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db', podManagementPolicy: 'Parallel', volumeClaimTemplates: claims }));
    await s.step('claims', 3);
    await s.scale('StatefulSet', 'db', 1);
    await s.step('scaled down', 3);
    await s.delete('StatefulSet', 'db');
    await s.step('deleted', 3);
  }),
  scenario('stateful-set-claims-deleted', async (s) => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    await s.create(
      statefulSet('db', {
        replicas: 2,
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: claims,
        persistentVolumeClaimRetentionPolicy,
      }),
    );
    await s.step('claims', 3);
    await s.scale('StatefulSet', 'db', 1);
    await s.step('scaled down', 3);
    await s.patch('StatefulSet', 'db', { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } } });
    await s.step('policy changed', 3);
    await s.patch('StatefulSet', 'db', { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } });
    await s.step('policy changed back', 3);
    await s.delete('StatefulSet', 'db');
    await s.step('deleted', 3);
  }),
  scenario('stateful-set-adopts', async (s) => {
    await s.createAll(pod('db-0'), pod('other'));
    await s.step('pods', 3);
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db' }));
    await s.step('adopted', 8);
    await s.delete('StatefulSet', 'db', { propagationPolicy: 'Orphan' });
    await s.step('orphaned', 4);
  }),
  scenario('stateful-set-quota', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'pods' }, spec: { hard: { pods: '1' } } });
    await s.step('quota', 2);
    await s.create(statefulSet('db', { replicas: 2, serviceName: 'db' }));
    await s.step('refused', 6);
  }),
  scenario('stateful-set-history', async (s) => {
    await s.create(statefulSet('db', { replicas: 1, serviceName: 'db', revisionHistoryLimit: 1 }));
    await s.step('first', 4);
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await s.setImage('StatefulSet', 'db', image);
      await s.step(image, 6);
    }
  }),
];
