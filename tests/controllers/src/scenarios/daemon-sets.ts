import type { Scenario } from '../scenario.js';
import { daemonSet, pod, scenario, type TemplateOptions } from './objects.js';

const fixed = { hasFixedNodes: true } as const;

/** A template for the nodes of a scenario. */
const on = (pool: string, options: TemplateOptions = {}): TemplateOptions => ({
  ...options,
  spec: { nodeSelector: { pool }, ...options.spec },
});

const tainted = { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] };

export const daemonSetScenarios: readonly Scenario[] = [
  scenario(
    'daemon-set-nodes',
    async (s) => {
      await s.addNode('a');
      await s.addNode('b', tainted);
      await s.create(daemonSet('agent', {}, on(s.namespace)));
      await s.step('created', 4);
      const added = await s.addNode('c');
      await s.step('node added', 4);
      await s.patch('Node', added, { metadata: { labels: { pool: 'other' } } });
      await s.step('node relabelled', 5);
      await s.patch('Node', `${s.namespace}-b`, { spec: { taints: null } });
      await s.step('taint removed', 5);
      await s.delete('Node', `${s.namespace}-a`);
      await s.step('node deleted', 3);
      await s.delete('DaemonSet', 'agent');
      await s.step('deleted', 5);
    },
    fixed,
  ),
  scenario(
    'daemon-set-taints',
    async (s) => {
      await s.addNode('a');
      await s.create(daemonSet('agent', {}, on(s.namespace)));
      await s.step('created', 4);
      await s.patch('Node', `${s.namespace}-a`, { spec: { taints: tainted.taints } });
      await s.step('tainted for scheduling', 4);
      await s.patch('Node', `${s.namespace}-a`, { spec: { unschedulable: true } });
      await s.step('cordoned', 4);
      await s.patch('Node', `${s.namespace}-a`, { spec: { taints: [{ key: 'dedicated', effect: 'NoExecute' }] } });
      await s.step('tainted for execution', 5);
    },
    fixed,
  ),
  scenario(
    'daemon-set-rolling',
    async (s) => {
      for (const name of ['a', 'b', 'c']) await s.addNode(name);
      await s.create(daemonSet('agent', {}, on(s.namespace)));
      await s.step('created', 4);
      await s.setImage('DaemonSet', 'agent', 'web:2');
      await s.step('updated', 14);
      await s.setImage('DaemonSet', 'agent', 'web:1');
      await s.step('rolled back', 14);
    },
    fixed,
  ),
  scenario(
    'daemon-set-unavailable',
    async (s) => {
      for (const name of ['a', 'b', 'c']) await s.addNode(name);
      await s.create(
        daemonSet('agent', { updateStrategy: { rollingUpdate: { maxUnavailable: '60%' } }, minReadySeconds: 2 }, on(s.namespace)),
      );
      await s.step('created', 6);
      await s.setImage('DaemonSet', 'agent', 'web:2');
      await s.step('updated', 16);
    },
    fixed,
  ),
  scenario(
    'daemon-set-surge',
    async (s) => {
      for (const name of ['a', 'b']) await s.addNode(name);
      await s.create(daemonSet('agent', { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }, on(s.namespace)));
      await s.step('created', 4);
      await s.setImage('DaemonSet', 'agent', 'web:2');
      await s.step('updated', 10);
    },
    fixed,
  ),
  scenario(
    'daemon-set-on-delete',
    async (s) => {
      for (const name of ['a', 'b']) await s.addNode(name);
      await s.create(daemonSet('agent', { updateStrategy: { type: 'OnDelete' } }, on(s.namespace)));
      await s.step('created', 4);
      await s.setImage('DaemonSet', 'agent', 'web:2');
      await s.step('updated', 3);
      const first = s.pods().find(({ spec }) => spec.nodeName === `${s.namespace}-a`);
      await s.delete('Pod', first?.metadata.name ?? '');
      await s.step('pod deleted', 5);
    },
    fixed,
  ),
  scenario(
    'daemon-set-failing',
    async (s) => {
      await s.addNode('a');
      await s.create(daemonSet('agent', {}, on(s.namespace, { run: 'exit=1@1;exit=0@1;run' })));
      await s.step('failed and replaced', 14);
    },
    fixed,
  ),
  scenario(
    'daemon-set-stuck-update',
    async (s) => {
      for (const name of ['a', 'b', 'c']) await s.addNode(name);
      await s.create(daemonSet('agent', {}, on(s.namespace)));
      await s.step('created', 4);
      await s.patch('DaemonSet', 'agent', { spec: { template: { metadata: { annotations: { 'scenario/run': 'unready' } } } } });
      await s.step('stuck', 6);
      await s.patch('DaemonSet', 'agent', { spec: { template: { metadata: { annotations: null } } } });
      await s.step('rolled back', 6);
    },
    fixed,
  ),
  scenario(
    'daemon-set-history',
    async (s) => {
      await s.addNode('a');
      await s.create(daemonSet('agent', { revisionHistoryLimit: 1 }, on(s.namespace)));
      await s.step('first', 4);
      for (const image of ['web:2', 'web:3', 'web:4']) {
        await s.setImage('DaemonSet', 'agent', image);
        await s.step(image, 6);
      }
    },
    fixed,
  ),
  scenario(
    'daemon-set-adopts',
    async (s) => {
      await s.addNode('a');
      await s.create(pod('own', on(s.namespace)));
      await s.step('pod', 4);
      await s.create(daemonSet('agent', {}, on(s.namespace)));
      await s.step('adopted', 6);
      await s.delete('DaemonSet', 'agent', { propagationPolicy: 'Orphan' });
      await s.step('orphaned', 4);
    },
    fixed,
  ),
];
