import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

export const nodeLoss: Lesson = {
  id: 'node-loss',
  title: 'A node that dies',
  text: 'After a minute node-1 loses its power. The control plane is not informed: 50 s without a heartbeat make the node Unknown and its pods unready. They tolerate that for 300 s; then they are deleted, and the Deployment creates pods on the other nodes. After ten minutes the node starts again and only then ends the deleted pods.',
  exercise:
    'Add "tolerations: [{ key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 20 }]" to the pod template.',
  docs: kubernetesDocs('concepts/architecture/nodes/#node-status'),
  playMs: 12 * minute,
  state: stateOf({
    nodes: 3,
    manifests: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: main
          image: web:1
`,
    actions: [
      { at: minute, kind: 'crash', node: 'node-1' },
      { at: 10 * minute, kind: 'restart', node: 'node-1' },
    ],
  }),
};
