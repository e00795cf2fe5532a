/**
 * Compares two listings of a runtime, and prints the pod lifecycle events between them, as the kubelet's PLEG does each second.
 *
 *     node_modules/.bin/tsx examples/diff-pods/main.ts
 */
import { diffPods } from '@nodeagent/pleg/decisions';

const events = diffPods(
  [
    { uid: 'web', containers: [{ id: 'nginx-1', state: 'running' }] },
    { uid: 'job', containers: [{ id: 'sort-1', state: 'running' }] },
  ],
  [
    {
      uid: 'web',
      containers: [
        { id: 'nginx-1', state: 'exited' },
        { id: 'nginx-2', state: 'running' },
      ],
    },
    { uid: 'db', containers: [{ id: 'postgres-1', state: 'running' }] },
  ],
);
for (const { podUid, type, containerId } of events) console.log(`${podUid}: ${type} ${containerId}`);
