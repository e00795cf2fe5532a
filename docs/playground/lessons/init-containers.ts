import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const initContainers: Lesson = {
  id: 'init-containers',
  title: 'Init containers and sidecars',
  text: 'Init containers run one after the other: "migrate" fails once and is retried. "proxy" has restartPolicy: Always, so it is a sidecar: it starts in its place, keeps running beside "main", and stops after it. When "main" has exited, the pod completes although the sidecar would run for ever.',
  exercise: 'Remove restartPolicy: Always of the proxy: an init container that never exits keeps the pod in Init.',
  docs: kubernetesDocs('concepts/workloads/pods/sidecar-containers/'),
  playMs: 2 * minute,
  state: stateOf({
    nodes: 1,
    manifests: `apiVersion: v1
kind: Pod
metadata:
  name: with-sidecar
  annotations:
    # One behaviour for each attempt: the first fails.
    playground/migrate: |
      - exit: { after: 3s, code: 1 }
      - exit: { after: 3s }
    playground/main: |
      exit: { after: 60s }
spec:
  restartPolicy: OnFailure
  initContainers:
    - name: migrate
      image: migrate:1
    - name: proxy
      image: proxy:1
      restartPolicy: Always
  containers:
    - name: main
      image: job:1
`,
  }),
};
