import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

const pod = (finalizers: string) => `apiVersion: v1
kind: Pod
metadata:
  name: held
  finalizers: [${finalizers}]
spec:
  containers:
    - name: main
      image: app:1
`;

export const finalizer: Lesson = {
  id: 'finalizer',
  title: 'A finalizer that hangs',
  text: 'After 20 s the pod is deleted. The kubelet stops its container and has nothing more to do, but the object stays in Terminating: its finalizer belongs to a controller that does not exist here. After two minutes the finalizer is removed, as kubectl patch would, and the API server removes the object at once.',
  exercise: 'Remove the finalizer in the editor and apply before the two minutes are over.',
  docs: kubernetesDocs('concepts/overview/working-with-objects/finalizers/'),
  playMs: 2.5 * minute,
  state: stateOf({
    nodes: 1,
    manifests: pod('example.com/backup'),
    actions: [
      { at: 20_000, kind: 'delete', object: { resource: 'pods', namespace: 'default', name: 'held' } },
      { at: 2 * minute, kind: 'apply', manifests: pod('') },
    ],
  }),
};
