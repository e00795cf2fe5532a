import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

const pod = (cpu: string) => `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: main
      image: web:1
      resources:
        requests: { cpu: ${cpu}, memory: 200Mi }
        limits: { cpu: "6", memory: 200Mi }
`;

export const resize: Lesson = {
  id: 'resize',
  title: 'A resize without a restart',
  text: 'After 20 s the request grows from 1 CPU to 2: the kubelet allocates it and updates the running container, which does not restart. After 60 s the request is 5 CPUs on a node with 4: the resize is infeasible, the pod keeps what it has, and its condition PodResizePending contains the reason.',
  exercise: 'Apply the manifest with cpu: "3": the pending resize is replaced by one that fits.',
  docs: kubernetesDocs('tasks/configure-pod-container/resize-container-resources/'),
  playMs: 1.5 * minute,
  state: stateOf({
    nodes: 1,
    manifests: pod('"1"'),
    actions: [
      { at: 20_000, kind: 'apply', manifests: pod('"2"') },
      { at: minute, kind: 'apply', manifests: pod('"5"') },
    ],
  }),
};
