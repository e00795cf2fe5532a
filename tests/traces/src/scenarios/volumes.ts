import { createPod, deletePod, forever, foreverCommand, type Scenario, shell, untilPhase, untilReady } from '../scenario.js';

/** What the API server gives each pod for its service account. */
const apiAccess = {
  name: 'kube-api-access-x7k2p',
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};

/** Pods with volumes: where they are, and that they last as long as the pod. */
export const volumes: Scenario[] = [
  {
    name: 'volumes',
    async act(context) {
      context.memory.script('c', forever);
      createPod(context, {
        labels: { l: 'one' },
        securityContext: { fsGroup: 2000 },
        containers: [
          shell('c', foreverCommand, {
            env: [
              { name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'a' } } },
              { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'LIM', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
              { name: 'X', value: '$(POD)-$(A)-$$(A)' },
            ],
            envFrom: [{ prefix: 'S_', secretRef: { name: 'sec' } }],
            resources: { limits: { memory: '64Mi' }, requests: { memory: '64Mi' } },
            volumeMounts: [
              { name: 'cm', mountPath: '/cm' },
              { name: 'sec', mountPath: '/sec', readOnly: true },
              { name: 'mem', mountPath: '/mem' },
              { name: 'dw', mountPath: '/dw' },
              { name: 'e', mountPath: '/e', subPath: 'sub/dir' },
              { name: 'h', mountPath: '/h' },
              { name: apiAccess.name, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
            ],
          }),
        ],
        volumes: [
          { name: 'cm', configMap: { name: 'cm', items: [{ key: 'a', path: 'x/a', mode: 0o400 }], defaultMode: 0o644 } },
          { name: 'sec', secret: { secretName: 'sec', defaultMode: 0o440 } },
          { name: 'mem', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
          { name: 'dw', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }], defaultMode: 0o644 } },
          { name: 'e', emptyDir: {} },
          { name: 'h', hostPath: { path: '/tmp', type: 'Directory' } },
          apiAccess,
        ],
      });
      await untilReady(context);
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
  {
    name: 'job-on-failure',
    restarts: true,
    async act(context) {
      context.memory.script('c', [{ exit: { afterMs: 1_000, code: 1 } }, { exit: { afterMs: 1_000 } }]);
      createPod(context, {
        restartPolicy: 'OnFailure',
        containers: [
          shell('c', 'sleep 1; [ -f /tmp/x/y ] && exit 0; touch /tmp/x/y; exit 1', { volumeMounts: [{ name: 'v', mountPath: '/tmp/x' }] }),
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      await untilPhase(context, 'Succeeded');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
];
