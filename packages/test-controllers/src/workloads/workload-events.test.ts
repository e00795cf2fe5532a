import { expect, it } from 'vitest';
import type { Write } from './objects.js';
import { type DoneWrite, writeEvent } from './workload-events.js';

const write = (verb: Write['verb'], kind: string, replicas?: number): Write =>
  ({ verb, object: { kind, metadata: {}, ...(replicas !== undefined && { spec: { replicas } }) } }) as unknown as Write;
const scaled = { before: { spec: { replicas: 1 } } };

it.each<[string, DoneWrite, string | undefined]>([
  ['ReplicaSet', { write: write('create', 'Pod'), name: 'web-1' }, 'Normal SuccessfulCreate replicaset-controller Created pod: web-1'],
  ['Job', { write: write('delete', 'Pod'), name: 'web-1' }, 'Normal SuccessfulDelete job-controller Deleted pod: web-1'],
  ['DaemonSet', { write: write('create', 'Pod'), name: '', error: 'no' }, 'Warning FailedCreate daemonset-controller Error creating: no'],
  ['CronJob', { write: write('create', 'Job'), name: 'web-1' }, 'Normal SuccessfulCreate cronjob-controller Created job web-1'],
  ['CronJob', { write: write('create', 'Job'), name: '', error: 'no' }, 'Warning FailedCreate cronjob-controller Error creating job: no'],
  [
    'StatefulSet',
    { write: write('create', 'Pod'), name: 'web-1' },
    'Normal SuccessfulCreate statefulset-controller Create Pod web-1 in StatefulSet web successful',
  ],
  [
    'StatefulSet',
    { write: write('create', 'PersistentVolumeClaim'), name: 'data-web-1' },
    'Normal SuccessfulCreate statefulset-controller Create Claim data-web-1 Pod web-1 in StatefulSet web success',
  ],
  [
    'Deployment',
    { write: write('create', 'ReplicaSet', 3), name: 'web-a' },
    'Normal ScalingReplicaSet deployment-controller Scaled up replica set web-a from 0 to 3',
  ],
  [
    'Deployment',
    { write: write('update', 'ReplicaSet', 0), name: 'web-a', ...scaled },
    'Normal ScalingReplicaSet deployment-controller Scaled down replica set web-a from 1 to 0',
  ],
  ['Deployment', { write: write('update', 'ReplicaSet', 1), name: 'web-a', ...scaled }, undefined],
  ['ReplicaSet', { write: write('updateStatus', 'ReplicaSet', 1), name: 'web' }, undefined],
  ['ReplicaSet', { write: write('update', 'Pod'), name: 'web-1' }, undefined],
])('reports the write of a %s: %j', (kind, done, expected) => {
  const event = writeEvent({ kind, metadata: { name: 'web' } }, done);
  expect(event && `${event.type} ${event.reason} ${event.component} ${event.message}`).toBe(expected);
});
