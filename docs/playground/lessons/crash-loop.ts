import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const crashLoop: Lesson = {
  id: 'crash-loop',
  title: 'A crash loop',
  text: 'The container exits with code 1 five seconds after each start. The kubelet restarts it after a back-off that doubles: 10 s, 20 s, 40 s, up to 5 minutes. Between restarts kubectl shows CrashLoopBackOff. Ten minutes of running would reset the back-off.',
  exercise: 'Change "after: 5s" to "after: 11m" and apply: does the back-off still double?',
  docs: kubernetesDocs('concepts/workloads/pods/pod-lifecycle/#restart-policy'),
  playMs: 5 * minute,
  state: stateOf({
    nodes: 1,
    manifests: `apiVersion: v1
kind: Pod
metadata:
  name: crashing
  annotations:
    # How the container "main" behaves in the playground.
    playground/main: |
      logs: ["cannot connect to the database"]
      exit: { after: 5s, code: 1 }
spec:
  containers:
    - name: main
      image: app:1
`,
  }),
};
