import type { Node } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { recordTimeline } from './timeline.js';

it('records what changes, who wrote it, and events, until it is stopped', async () => {
  const cluster = await createTestCluster();
  const { objects } = cluster.server;
  await cluster.advance('1s');
  const timeline = recordTimeline(cluster, { resources: ['pods', 'nodes'], events: /Killing/ });
  cluster.apply(podOf('web'));
  await cluster.advance('10s');
  objects.update<Node>('nodes', 'node-1', ({ spec }) => void Object.assign(spec ?? {}, { unschedulable: true }));
  await cluster.advance('5s');
  objects.update<Node>('nodes', 'node-1', ({ spec }) => void delete spec?.unschedulable);
  objects.delete('pods', 'web');
  timeline.note('test', 'Pod web', 'is deleted');
  await cluster.advance('10s');
  timeline.stop();
  cluster.apply(podOf('later'));
  await cluster.advance('1m');
  expect(timeline.text().split('\n')).toEqual([
    '00:00:00.000  kubernetes-admin         Pod web      created',
    '00:00:00.000  kube-scheduler           Pod web      nodeName=node-1, PodScheduled=True',
    '00:00:00.000  node-1                   Pod web      phase=Running, Ready=True',
    '00:00:10.000  kubernetes-admin         Node node-1  unschedulable=true',
    '00:00:10.000  kube-controller-manager  Node node-1  +node.kubernetes.io/unschedulable:NoSchedule',
    '00:00:15.000  kubernetes-admin         Node node-1  unschedulable=false',
    '00:00:15.000  kube-controller-manager  Node node-1  -node.kubernetes.io/unschedulable:NoSchedule',
    '00:00:15.000  kubernetes-admin         Pod web      terminating',
    '00:00:15.000  test                     Pod web      is deleted',
    '00:00:15.000  kubelet                  Pod web      Killing: Stopping container main',
    '00:00:15.010  node-1                   Pod web      phase=Failed, Ready=False (PodFailed)',
    '00:00:15.010  node-1                   Pod web      removed',
  ]);
  expect(await cluster.stop()).toBe(0);
});

it('records only the chosen facts', async () => {
  const cluster = await createTestCluster();
  const timeline = recordTimeline(cluster, { resources: ['pods'], facts: /Ready/, events: /^$/ });
  cluster.apply(podOf('web'));
  await cluster.advance('10s');
  expect(timeline.entries.map(({ by, what }) => `${by} ${what}`)).toEqual(['kubernetes-admin created', 'node-1 Ready=True']);
  await cluster.stop();
});
