import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { invariants, newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';

/** A running container whose pod has a volume, but neither a mount nor a cgroup. */
function violations(invariant: string, createdAtStop: readonly string[]): string[] | undefined {
  const history = new HistoryBook();
  for (const id of createdAtStop) history.createdAtStop.add(id);
  const snapshot = {
    pods: [{ metadata: { name: 'pod', uid: 'uid' }, spec: { containers: [], volumes: [{ name: 'data' }] } }],
    statics: [],
    containers: [{ id: 'late', pod: 'pod', podUid: 'uid', name: 'c', state: 'running' } as MemoryContainer],
    mounts: [],
    cgroups: [],
    history,
  } as unknown as Snapshot;
  return invariants[invariant]?.(snapshot, newMemory());
}

it.each(['mounts of running containers', 'cgroups of running containers'])(
  '%s: only a container that had not started when its sandbox was stopped may run without',
  (invariant) => {
    expect(violations(invariant, [])).toHaveLength(1);
    expect(violations(invariant, ['other'])).toHaveLength(1);
    expect(violations(invariant, ['late'])).toEqual([]);
  },
);
