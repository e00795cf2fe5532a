import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const gracefulShutdown: Lesson = {
  id: 'graceful-shutdown',
  title: 'Graceful shutdown',
  text: 'After 30 s node-1 shuts down. Of its 30 s, ordinary pods get the first 20 and critical pods the last 10. "polite" finishes its work in 8 s after SIGTERM; "deaf" ignores the signal and is killed when its group\'s time is over, with exit code 137. "critical" stops only after both.',
  exercise: 'Delete a pod instead of shutting the node down: its terminationGracePeriodSeconds decides.',
  docs: kubernetesDocs('concepts/cluster-administration/node-shutdown/#graceful-node-shutdown'),
  playMs: 1.5 * minute,
  state: stateOf({
    nodes: 1,
    manifests: `apiVersion: v1
kind: Pod
metadata:
  name: polite
  annotations:
    playground/main: |
      onStop: { after: 8s, code: 0 }
spec:
  containers: [{ name: main, image: app:1 }]
---
apiVersion: v1
kind: Pod
metadata:
  name: deaf
  annotations:
    playground/main: |
      onStop: ignore
spec:
  containers: [{ name: main, image: app:1 }]
---
apiVersion: v1
kind: Pod
metadata:
  name: critical
  namespace: kube-system
spec:
  priorityClassName: system-node-critical
  containers: [{ name: main, image: agent:1 }]
`,
    actions: [{ at: 30_000, kind: 'shutdown', node: 'node-1' }],
  }),
};
