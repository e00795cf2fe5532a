import type { Pod } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { desiredPodsRun, newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';

const pod: Pod = { metadata: { name: 'p', uid: 'u' }, spec: { restartPolicy: 'Always', containers: [{ name: 'c' }] } };

function violations(source: 'api' | 'file', isPreempted: boolean, hadContainer = false): string[] {
  const history = new HistoryBook();
  if (hadContainer) history.containers.set('c', { podUid: 'u' } as MemoryContainer);
  if (isPreempted) history.recordPreemption('u');
  const [pods, statics] = source === 'api' ? [[pod], []] : [[], [pod]];
  return desiredPodsRun({ pods, statics, containers: [], endedStatics: new Set(), history } as unknown as Snapshot, newMemory());
}

it('reports a pod that does not run', () => {
  expect(violations('file', false)).toEqual(['p/c does not run']);
  expect(violations('api', true)).toEqual(['p/c does not run']);
});

it('expects no static pod to run that the agent preempted before it had a container', () => {
  expect(violations('file', true)).toEqual([]);
  expect(violations('file', true, true)).toHaveLength(1);
});
