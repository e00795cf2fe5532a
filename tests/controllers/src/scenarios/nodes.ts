import type { Scenario } from '../scenario.js';
import { deployment, pod, replicaSet, scenario, service } from './objects.js';

const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': name } });
const onPool = (pool: string) => ({ nodeSelector: { pool } });

export const nodeScenarios: readonly Scenario[] = [
  scenario(
    'node-taint-eviction',
    async (s) => {
      const node = await s.addNode('a', zone(s.namespace));
      const tolerations = [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 4 }];
      await s.createAll(
        pod('leaves', { spec: onPool(s.namespace) }),
        pod('stays-a-while', { spec: { ...onPool(s.namespace), tolerations } }),
        pod('stays', { spec: { ...onPool(s.namespace), tolerations: [{ operator: 'Exists' }] } }),
      );
      await s.step('created', 4);
      await s.patch('Node', node, { spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } });
      await s.step('tainted', 3);
      await s.step('toleration is over', 5);
    },
    { hasFixedNodes: true },
  ),
  scenario(
    'node-taint-removed',
    async (s) => {
      const node = await s.addNode('a', zone(s.namespace));
      const tolerations = [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 6 }];
      await s.create(pod('stays', { spec: { ...onPool(s.namespace), tolerations } }));
      await s.step('created', 4);
      await s.patch('Node', node, { spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } });
      await s.step('tainted', 3);
      await s.patch('Node', node, { spec: { taints: null } });
      await s.step('untainted', 7);
    },
    { hasFixedNodes: true },
  ),
  scenario(
    'node-lost',
    async (s) => {
      const tolerations = ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 5,
      }));
      await s.addNode('a', zone(s.namespace));
      await s.create(deployment('web', { replicas: 2 }, { spec: { ...onPool(s.namespace), tolerations } }));
      await s.step('created', 4);
      s.killNode(`${s.namespace}-a`);
      await s.addNode('b', zone(s.namespace));
      await s.step('unreachable', 85);
    },
    { hasFixedNodes: true },
  ),
  scenario(
    'node-not-ready',
    async (s) => {
      const node = await s.addNode('a', zone(s.namespace));
      await s.addNode('b', zone(s.namespace));
      await s.createAll(pod('one', { spec: { nodeName: node } }), service('web'));
      await s.step('created', 4);
      const condition = { type: 'Ready', reason: 'KubeletNotReady', message: 'runtime is down' };
      const now = `${new Date(0).toISOString().slice(0, 19)}Z`;
      const times = { lastHeartbeatTime: now, lastTransitionTime: now };
      await s.patch('Node', node, { status: { conditions: [{ ...condition, ...times, status: 'False' }] } }, { subresource: 'status' });
      await s.step('not ready', 8);
      await s.patch('Node', node, { status: { conditions: [{ ...condition, ...times, status: 'True' }] } }, { subresource: 'status' });
      await s.step('ready', 8);
    },
    { hasFixedNodes: true },
  ),
  scenario(
    'node-pressure',
    async (s) => {
      const node = await s.addNode('a', zone(s.namespace));
      const ready = s.all('Node')[0]?.status.conditions ?? [];
      const more = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'True' }));
      await s.patch('Node', node, { status: { conditions: [...ready, ...more] } }, { subresource: 'status' });
      await s.patch('Node', node, { spec: { unschedulable: true } });
      await s.step('pressure', 6);
      await s.patch('Node', node, { status: { conditions: ready }, spec: {} }, { subresource: 'status' });
      await s.patch('Node', node, { spec: { unschedulable: null } });
      await s.step('relieved', 6);
    },
    { hasFixedNodes: true },
  ),
  scenario(
    'node-deleted',
    async (s) => {
      const node = await s.addNode('a', zone(s.namespace));
      await s.createAll(
        pod('bare', { spec: onPool(s.namespace) }),
        replicaSet('web', { replicas: 1 }, { app: 'set', spec: onPool(s.namespace) }),
      );
      await s.step('created', 4);
      s.killNode(node);
      await s.delete('Node', node);
      await s.step('pods are deleted', 95);
    },
    { hasFixedNodes: true },
  ),
];
