import type { Pod, PodCondition } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { newMemory } from './invariants.js';
import { resizes } from './resizes.js';
import type { Snapshot } from './snapshot.js';

const resources = (cpu: string) => ({ requests: { cpu } });

/** A pod whose container runs with 10m of CPU, and whose newest generation is observed. */
const resized = (cpu: string, ...conditions: PodCondition[]): Pod => ({
  metadata: { name: 'web', uid: 'web', generation: 2 },
  spec: { containers: [{ name: 'app', image: 'app', resources: resources(cpu) }] },
  status: {
    phase: 'Running',
    observedGeneration: 2,
    conditions,
    containerStatuses: [
      { name: 'app', state: { running: {} }, ready: true, restartCount: 0, image: 'app', imageID: '', resources: resources('10m') },
    ],
  },
});

it.each<[string, Pod, boolean]>([
  ['has them', resized('10m'), true],
  ['has others', resized('500m'), false],
  ['has others and is not ready', resized('500m', { type: 'Ready', status: 'False', reason: 'ContainersNotReady' }), false],
  ['has others while they are being set', resized('500m', { type: 'PodResizeInProgress', status: 'True' }), true],
  ['was rejected after an agent’s start', resized('500m', { type: 'Ready', status: 'False', reason: 'PodFailed' }), true],
])('a pod with the newest generation and other resources in its spec is a violation: it %s', (_, pod, isRight) => {
  const history = new HistoryBook();
  history.recordWrite(pod, 0);
  const violations = resizes({ history } as unknown as Snapshot, newMemory());
  expect(violations).toEqual(isRight ? [] : ['web/app is reported as resized and is not']);
});

it('allows that an agent admits a pod that the previous one rejected, until it resizes the pod', () => {
  const history = new HistoryBook();
  const memory = newMemory();
  const rejected = resized('500m', { type: 'Ready', status: 'False', reason: 'PodFailed' });
  const violationsOf = (pod: Pod) => {
    history.recordWrite(pod, 0);
    const found = resizes({ history } as unknown as Snapshot, memory).length;
    history.clear();
    return found;
  };
  expect([rejected, resized('500m'), resized('500m'), resized('10m'), resized('500m')].map(violationsOf)).toEqual([0, 0, 0, 0, 1]);
  const inProgress = resized('500m', { type: 'PodResizeInProgress', status: 'True' });
  expect([rejected, resized('500m'), inProgress, resized('500m')].map(violationsOf)).toEqual([0, 0, 0, 1]);
});
