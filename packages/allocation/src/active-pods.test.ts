import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { activePods } from './active-pods.js';

it('counts pods that run or terminate, not those that were rejected or have terminated', () => {
  const pod = (name: string, phase?: string) => ({ ...buildPod({ name, uid: name }), ...(phase && { status: { phase } }) });
  const pods = [
    pod('new'),
    pod('failed', 'Failed'),
    pod('rejected'),
    pod('evicting', 'Failed'),
    pod('terminated'),
    pod('running', 'Running'),
  ];
  const active = activePods({
    desiredPods: () => pods,
    podWorkers: { isPodKnownTerminated: (uid) => uid === 'terminated', isPodTerminationRequested: (uid) => uid === 'evicting' },
    statusManager: { getPodStatus: (uid) => (uid === 'rejected' ? { phase: 'Failed' } : undefined) },
  });
  expect(active.map(({ metadata }) => metadata?.name)).toEqual(['new', 'evicting', 'running']);
});
