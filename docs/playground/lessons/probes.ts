import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const probes: Lesson = {
  id: 'probes',
  title: 'Probes',
  text: 'The application answers from 20 s to 90 s after its start. Until then the startup probe holds back the other two. The readiness probe then makes the pod ready; when answers stop, it becomes unready at once, and after three failures the liveness probe restarts the container.',
  exercise: 'Remove the startup probe and apply as a new pod: the liveness probe now restarts the container before it has started.',
  docs: kubernetesDocs('concepts/workloads/pods/pod-lifecycle/#container-probes'),
  playMs: 3 * minute,
  state: stateOf({
    nodes: 1,
    manifests: `apiVersion: v1
kind: Pod
metadata:
  name: slow-start
  annotations:
    playground/main: |
      serves: { after: 20s, until: 90s }
spec:
  containers:
    - name: main
      image: web:1
      ports: [{ containerPort: 8080 }]
      startupProbe:
        httpGet: { path: /healthz, port: 8080 }
        periodSeconds: 5
        failureThreshold: 10
      readinessProbe:
        httpGet: { path: /ready, port: 8080 }
        periodSeconds: 5
        failureThreshold: 1
      livenessProbe:
        httpGet: { path: /healthz, port: 8080 }
        periodSeconds: 10
        failureThreshold: 3
`,
  }),
};
