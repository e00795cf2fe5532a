import type { Event, Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './index.js';

const pod = (name: string, cpu: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }], ...spec },
});
const priorityClass = (name: string, value: number, fields: object = {}) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...fields,
});
const reasons = (cluster: TestCluster, name: string) =>
  cluster.server.objects
    .list<Event>('events')
    .flatMap(({ involvedObject, reason, message }) => (involvedObject?.name === name ? [`${reason}: ${message}`] : []));
const conditionOf = (found: Pod | undefined, type: string) => found?.status?.conditions?.find((each) => each.type === type);

it('preempts the less important pod, and gives its place to the important one', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  cluster.apply(priorityClass('high', 1000));
  cluster.apply(priorityClass('medium', 100));
  cluster.apply(pod('low', '3'));
  cluster.apply(pod('other', '3', { priorityClassName: 'medium' }));
  await cluster.until(() => cluster.pods().every(({ status }) => status?.phase === 'Running'));
  const [lowNode, uid] = [cluster.pod('low')?.spec?.nodeName, cluster.apply(pod('important', '3', { priorityClassName: 'high' })).metadata];
  await cluster.advance(1);
  const waiting = cluster.pod('important');
  expect(waiting?.status?.nominatedNodeName).toBe(lowNode);
  expect(conditionOf(waiting, 'PodScheduled')).toMatchObject({ status: 'False', message: '0/2 nodes are available: 2 Insufficient cpu.' });
  expect(conditionOf(cluster.pod('low'), 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  });
  expect(reasons(cluster, 'low')).toContain(`Preempted: Preempted by pod ${(uid as { uid?: string }).uid} on node ${lowNode}`);
  cluster.apply(pod('late', '3', { priorityClassName: 'medium' }));
  await cluster.until(() => cluster.pod('important')?.status?.phase === 'Running');
  expect(cluster.pod('important')).toMatchObject({ spec: { nodeName: lowNode } });
  expect(cluster.pod('important')?.status?.nominatedNodeName).toBeUndefined();
  expect(cluster.pod('low')).toBeUndefined();
  expect(cluster.pod('late')?.spec?.nodeName).toBeUndefined();
  expect(await cluster.stop()).toBe(0);
});

it('tries unschedulable and gated pods again after a change that helps', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  cluster.apply(priorityClass('polite', 10, { preemptionPolicy: 'Never' }));
  cluster.apply(pod('running', '3'));
  cluster.apply(pod('never', '3', { priorityClassName: 'polite' }));
  cluster.apply(pod('gated', '1', { schedulingGates: [{ name: 'example.com/wait' }] }));
  await cluster.advance('1m');
  expect(conditionOf(cluster.pod('never'), 'PodScheduled')?.message).toBe(
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  );
  expect(conditionOf(cluster.pod('gated'), 'PodScheduled')).toMatchObject({
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  });
  expect(cluster.why('gated')).toMatchObject({
    state: 'gated',
    sentence: 'pod default/gated waits for its scheduling gates: example.com/wait',
  });
  expect(reasons(cluster, 'gated')).toEqual([]);
  cluster.server.objects.update<Pod>('pods', 'gated', ({ spec }) => {
    if (spec) delete spec.schedulingGates;
  });
  await cluster.advance('1s');
  expect(cluster.pod('gated')?.spec?.nodeName).toBe('node-1');
  await cluster.addNode({ name: 'node-2' });
  await cluster.until(() => cluster.pod('never')?.spec?.nodeName === 'node-2');
  expect(await cluster.stop()).toBe(0);
});

it('explains why a pod has its node, or none', async () => {
  const cluster = await createTestCluster({ nodes: [{ name: 'a' }, { name: 'b', taints: [{ key: 'own', effect: 'NoSchedule' }] }] });
  cluster.apply(pod('web', '1'));
  cluster.apply(pod('large', '4'));
  await cluster.advance('1s');
  expect(cluster.why('web')).toMatchObject({
    sentence: 'pod default/web is on a, the only node where it fits',
    state: 'bound',
    nodes: [
      { name: 'a', fits: true },
      { name: 'b', fits: false, plugin: 'TaintToleration', reasons: ['node(s) had untolerated taint(s)'] },
    ],
  });
  expect(cluster.why('large')?.message).toContain('0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). ');
  expect(cluster.why('absent')).toBeUndefined();
  expect(await cluster.stop()).toBe(0);
});
