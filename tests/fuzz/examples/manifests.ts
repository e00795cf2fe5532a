import type { Json } from '../generate/json.js';

const small = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};

const probes = {
  livenessProbe: { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] }, periodSeconds: 3 },
  readinessProbe: { exec: { command: ['true'] }, failureThreshold: 2 },
  startupProbe: { grpc: { port: 80 }, terminationGracePeriodSeconds: 3 },
};

const env: Json = [
  { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
  { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
  { name: 'C', value: '$(A)' },
];

const volumes: Json = [
  { name: 'v', hostPath: { path: '/v', type: 'Directory' } },
  { name: 'e', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
  {
    name: 'p',
    projected: { defaultMode: 0o644, sources: [{ downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } }] },
  },
];

const large = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'large',
    namespace: 'kube-system',
    uid: 'u-1',
    labels: { app: 'a', 'example.com/b': 'c' },
    annotations: { 'example.com/note': 'x' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true }],
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {
    restartPolicy: 'OnFailure',
    terminationGracePeriodSeconds: 5,
    priority: 1000,
    hostNetwork: true,
    hostname: 'h',
    subdomain: 's',
    overhead: { cpu: '10m' },
    initContainers: [
      {
        name: 'i',
        image: 'i:1',
        restartPolicy: 'Always',
        lifecycle: { preStop: { sleep: { seconds: 1 } } },
        startupProbe: probes.readinessProbe,
      },
    ],
    containers: [
      {
        name: 'c',
        image: 'repo:5000/x@sha256:0000000000000000000000000000000000000000000000000000000000000000',
        command: ['sh', '-c'],
        args: ['sleep $(A)'],
        ports: [{ name: 'http', containerPort: 80, hostPort: 80 }],
        env,
        resources: { limits: { cpu: 1, memory: '1Gi', 'hugepages-2Mi': '4Mi' }, requests: { cpu: '500m' } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
        volumeMounts: [
          { name: 'v', mountPath: '/v', subPath: 'a', mountPropagation: 'HostToContainer' },
          { name: 'p', mountPath: '/p', readOnly: true },
        ],
        ...probes,
        lifecycle: { postStart: { tcpSocket: { port: 1 } } },
        securityContext: {
          runAsUser: 1,
          capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
          seccompProfile: { type: 'Localhost', localhostProfile: 'x' },
          procMount: 'Default',
        },
      },
    ],
    volumes,
    tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 3 }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
        },
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
    ],
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.0.0.1'], searches: ['a.b'], options: [{ name: 'ndots', value: '2' }] },
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
    resources: { limits: { cpu: '2' } },
    securityContext: { fsGroup: 2, supplementalGroups: [3] },
  },
};

const ownNetwork = {
  ...large,
  metadata: { name: 'own-network' },
  spec: { ...large.spec, hostNetwork: false, securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] } },
};

/** Valid manifests, from which random ones are made. */
export const manifestExamples: readonly Json[] = [
  small,
  large,
  ownNetwork,
  { apiVersion: 'v1', kind: 'PodList', items: [small, { metadata: { name: 'other' }, spec: small.spec }] },
];
