import type { Pod } from '@nodeagent/api';
import { writePermalink } from '../../docs/playground/permalink.js';
import type { Action as PlaygroundAction, PlaygroundState } from '../../docs/playground/state.js';
import type { Action } from './actions.js';

const node = 'node-1';

/** What a fault of the simulation is in the playground, at its start and at its end. Faults within a call happen beside it there. */
const faultActions: Readonly<Record<string, (at: number, until: number) => PlaygroundAction[]>> = {
  'machine-reboot': (at, until) => [
    { at, kind: 'crash', node },
    { at: until, kind: 'restart', node },
  ],
  ...Object.fromEntries(
    [
      'agent-killed-between-steps',
      'agent-killed-in-a-call',
      'agent-killed-in-a-request',
      'agent-killed-in-a-mount',
      'agent-killed-in-a-save',
    ].map((kind) => [kind, killAgent]),
  ),
  'agent-restart': (at) => [{ at, kind: 'restart', node }],
  'api-outage': cutOff,
  'api-silence': cutOff,
  'disk-full': (at, until) => [
    { at, kind: 'fill-disk', node, share: '97%' },
    { at: until, kind: 'fill-disk', node, share: '0' },
  ],
  'memory-short': (at, until) => [
    { at, kind: 'use-memory', node, quantity: '99%' },
    { at: until, kind: 'use-memory', node, quantity: '0' },
  ],
};

function killAgent(at: number, until: number): PlaygroundAction[] {
  return [
    { at, kind: 'kill-agent', node },
    { at: until, kind: 'restart', node },
  ];
}

function cutOff(at: number, until: number): PlaygroundAction[] {
  return [
    { at, kind: 'partition', node },
    { at: until, kind: 'heal', node },
  ];
}

/** Time of the playground before the first action: its node must be ready. */
const startMs = 1_000;

/** The actions of a run for the playground, and what of them it cannot show. */
export function playgroundRun(seed: number, actions: readonly Action[]): { state: PlaygroundState; missing: string[] } {
  const pods = new Map<string, Pod>();
  const timed: PlaygroundAction[] = [];
  const missing = new Set(['the scripted behaviour of containers']);
  let at = startMs;
  const apply = (pod: Pod) => {
    pods.set(pod.metadata?.name ?? '', pod);
    timed.push({ at, kind: 'add', manifests: JSON.stringify(pod) });
  };
  const change = (name: string, changed: (pod: Pod) => Pod) => {
    const pod = pods.get(name);
    if (pod) apply(changed(pod));
  };
  for (const action of actions) {
    at += Math.round(action.afterMs);
    switch (action.do) {
      case 'create':
        apply(action.pod);
        break;
      case 'delete': {
        const { name, graceSeconds } = action;
        const object = { resource: 'pods', namespace: 'default', name };
        if (pods.delete(name)) timed.push({ at, kind: 'delete', object, ...(graceSeconds !== undefined && { graceSeconds }) });
        break;
      }
      case 'update':
        change(action.name, (pod) => withContainers(pod, (container) => ({ ...container, image: action.image })));
        break;
      case 'resize':
        change(action.name, (pod) => withContainers(pod, (container) => withCpu(container, action.cpu)));
        break;
      case 'fault': {
        const inPlayground = faultActions[action.kind];
        if (inPlayground) timed.push(...inPlayground(at, at + Math.round(action.forMs)));
        else missing.add(`the fault ${action.kind}`);
        break;
      }
      case 'gate':
        missing.add('readiness gates');
        break;
      case 'static':
        missing.add('static pods');
    }
  }
  const sorted = timed.sort((a, b) => a.at - b.at);
  return { state: { manifests: '', seed, nodes: 1, periods: 'kubelet', actions: sorted }, missing: [...missing] };
}

type Container = NonNullable<Pod['spec']>['containers'][number];

const withContainers = (pod: Pod, change: (container: Container) => Container): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: (pod.spec?.containers ?? []).map(change) },
});

const withCpu = (container: Container, cpu: string): Container => ({
  ...container,
  resources: { ...container.resources, requests: { ...container.resources?.requests, cpu } },
});

/** One line with the address of the run in the playground, below the address of the site. */
export async function playgroundLink(seed: number, actions: readonly Action[]): Promise<string> {
  const { state, missing } = playgroundRun(seed, actions);
  return `in the playground, without ${missing.join(', ')}: playground/#${await writePermalink(state)}`;
}
