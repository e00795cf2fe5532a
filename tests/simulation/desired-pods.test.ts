import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { desiredPodsRun, newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';

const pod: Pod = { metadata: { name: 'p', uid: 'u' }, spec: { restartPolicy: 'Always', containers: [{ name: 'c' }] } };

function violations(source: 'api' | 'file', isPreempted: boolean): string[] {
  const history = new HistoryBook();
  if (isPreempted) history.recordPreemption('u');
  const [pods, statics] = source === 'api' ? [[pod], []] : [[], [pod]];
  return desiredPodsRun({ pods, statics, containers: [], endedStatics: new Set(), history } as unknown as Snapshot, newMemory());
}

it('reports a pod that does not run', () => {
  expect(violations('file', false)).toEqual(['p/c does not run']);
  expect(violations('api', true)).toEqual(['p/c does not run']);
});

it('expects no static pod to run that the agent preempted', () => {
  expect(violations('file', true)).toEqual([]);
});
