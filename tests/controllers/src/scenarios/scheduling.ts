import type { Scenario } from '../scenario.js';
import { pod, scenario } from './objects.js';

const exclusive = { isExclusive: true, hasFixedNodes: true } as const;
const requesting = (cpu: string, more: Record<string, unknown> = {}) => ({
  nodeSelector: {},
  containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } } }],
  ...more,
});
const anywhere = (more: Record<string, unknown>) => ({ nodeSelector: {}, ...more });
const web = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };

export const schedulingScenarios: readonly Scenario[] = [
  scenario(
    'unschedulable-resources',
    async (s) => {
      await s.addNode('a', { allocatable: { cpu: '1', memory: '1Gi', pods: '2' } });
      await s.addNode('b', { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } });
      await s.create(pod('cpu', { spec: requesting('3') }));
      const resources = { requests: { cpu: '5', memory: '4Gi', 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } };
      await s.create(pod('all', { spec: anywhere({ containers: [{ name: 'main', image: 'web:1', resources }] }) }));
      await s.step('created', 3);
      await s.create(pod('fits', { spec: requesting('1500m') }));
      await s.step('fits', 3);
      await s.create(pod('second', { spec: requesting('800m') }));
      await s.create(pod('third', { spec: requesting('800m') }));
      await s.step('full', 3);
      await s.delete('Pod', 'second');
      await s.step('freed', 6);
    },
    exclusive,
  ),
  scenario(
    'unschedulable-selectors',
    async (s) => {
      await s.addNode('a');
      await s.addNode('b', { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] });
      await s.create(pod('selector', { spec: { nodeSelector: { disk: 'fast' } } }));
      const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] }] };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
      await s.create(pod('affinity', { spec: anywhere({ affinity }) }));
      await s.create(pod('by-name', { spec: { nodeSelector: { 'kubernetes.io/hostname': `${s.namespace}-b` } } }));
      await s.step('created', 3);
      await s.patch('Node', `${s.namespace}-a`, { metadata: { labels: { disk: 'fast' } } });
      await s.step('labelled', 4);
      await s.patch('Node', `${s.namespace}-a`, { spec: { unschedulable: true } });
      await s.sleep(1);
      await s.create(pod('cordoned', { spec: anywhere({}) }));
      await s.step('cordoned', 3);
    },
    exclusive,
  ),
  scenario(
    'unschedulable-affinity',
    async (s) => {
      await s.addNode('a');
      await s.addNode('b');
      const anti = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [web] } };
      for (const name of ['one', 'two', 'three']) {
        await s.create(pod(name, { spec: anywhere({ affinity: anti }) }));
        await s.sleep(1);
      }
      const term = { labelSelector: { matchLabels: { app: 'absent' } }, topologyKey: 'kubernetes.io/hostname' };
      const near = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      await s.create(pod('near', { app: 'other', spec: anywhere({ affinity: near }) }));
      await s.create(pod('plain', { spec: anywhere({}) }));
      await s.step('created', 4);
    },
    exclusive,
  ),
  scenario(
    'unschedulable-spread',
    async (s) => {
      await s.addNode('a');
      await s.addNode('b', { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] });
      const { labelSelector, topologyKey } = web;
      const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
      await s.create(pod('one', { spec: anywhere({ topologySpreadConstraints: [constraint] }) }));
      await s.sleep(1);
      await s.create(pod('two', { spec: anywhere({ topologySpreadConstraints: [constraint] }) }));
      await s.create(pod('no-label', { spec: anywhere({ topologySpreadConstraints: [{ ...constraint, topologyKey: 'rack' }] }) }));
      await s.step('created', 4);
    },
    exclusive,
  ),
  scenario(
    'unschedulable-ports',
    async (s) => {
      await s.addNode('a');
      const containers = [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80, hostPort: 8080 }] }];
      await s.create(pod('one', { spec: anywhere({ containers }) }));
      await s.sleep(1);
      await s.create(pod('two', { spec: anywhere({ containers }) }));
      await s.step('created', 3);
      await s.delete('Pod', 'one');
      await s.step('freed', 5);
    },
    exclusive,
  ),
  scenario(
    'scheduling-gates',
    async (s) => {
      await s.addNode('a');
      await s.create(pod('gated', { spec: anywhere({ schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] }) }));
      await s.step('gated', 2);
      await s.patch('Pod', 'gated', { spec: { schedulingGates: [{ name: 'example.com/b' }] } });
      await s.step('one gate', 2);
      await s.patch('Pod', 'gated', { spec: { schedulingGates: null } });
      await s.step('no gate', 4);
    },
    exclusive,
  ),
  scenario(
    'preemption',
    async (s) => {
      await s.addNode('a', { allocatable: { cpu: '2' } });
      const high = `${s.namespace}-high`;
      const polite = `${s.namespace}-polite`;
      await s.create({ kind: 'PriorityClass', metadata: { name: high }, value: 1000 });
      await s.create({ kind: 'PriorityClass', metadata: { name: polite }, value: 1000, preemptionPolicy: 'Never' });
      await s.create(pod('low', { spec: requesting('1500m') }));
      await s.step('low', 4);
      await s.create(pod('polite', { spec: requesting('1500m', { priorityClassName: polite }) }));
      await s.step('does not preempt', 3);
      await s.create(pod('high', { spec: requesting('1500m', { priorityClassName: high }) }));
      await s.step('preempts', 6);
      await s.create(pod('same', { spec: requesting('1500m', { priorityClassName: high }) }));
      await s.step('same priority', 4);
    },
    exclusive,
  ),
  scenario(
    'no-nodes',
    async (s) => {
      await s.create(pod('web', { spec: anywhere({}) }));
      await s.step('no node', 3);
      await s.addNode('a');
      await s.step('node', 5);
    },
    exclusive,
  ),
];
