import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

const deployment = (version: number) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 4
  selector:
    matchLabels: { app: shop }
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  template:
    metadata:
      labels: { app: shop }
      annotations:
        playground/main: |
          serves: { after: 8s }
    spec:
      containers:
        - name: main
          image: shop:${version}
          ports: [{ containerPort: 8080 }]
          readinessProbe:
            httpGet: { path: /ready, port: 8080 }
            periodSeconds: 2
`;

export const rollingUpdate: Lesson = {
  id: 'rolling-update',
  title: 'A rolling update',
  text: 'After 30 s the image changes from shop:1 to shop:2. The Deployment creates a ReplicaSet for the new template and adds one pod above the four replicas (maxSurge: 1). Only when it is ready, 8 s after its start, does an old pod stop (maxUnavailable: 0), so four pods are ready all the time.',
  exercise: 'Change the image to shpo:3 and apply: the update stops at the pod that cannot start, and the old pods keep serving.',
  docs: kubernetesDocs('concepts/workloads/controllers/deployment/#rolling-update-deployment'),
  playMs: 2 * minute,
  state: stateOf({ nodes: 2, manifests: deployment(1), actions: [{ at: 30_000, kind: 'apply', manifests: deployment(2) }] }),
};
