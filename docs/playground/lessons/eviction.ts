import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const eviction: Lesson = {
  id: 'eviction',
  title: 'Eviction under memory pressure',
  text: 'The pod "hog" requests 100Mi and grows to 8Gi on a node with 8Gi. When less than 100Mi is available, the kubelet reports MemoryPressure and evicts one pod: it ranks those that use more than they request first, then by priority, then by usage over the request. "steady" stays within its request.',
  exercise: 'Give the hog priorityClassName: system-node-critical: which pod does the node evict now?',
  docs: kubernetesDocs('concepts/scheduling-eviction/node-pressure-eviction/'),
  playMs: 12 * minute,
  state: stateOf({
    nodes: 1,
    manifests: `apiVersion: v1
kind: Pod
metadata:
  name: hog
  annotations:
    playground/main: |
      memory: { from: 50Mi, to: 8Gi, over: 4m }
spec:
  containers:
    - name: main
      image: hog:1
      resources:
        requests: { memory: 100Mi }
---
apiVersion: v1
kind: Pod
metadata:
  name: steady
  annotations:
    playground/main: |
      memory: 200Mi
spec:
  containers:
    - name: main
      image: app:1
      resources:
        requests: { memory: 300Mi }
`,
  }),
};
