import { expect, it } from 'vitest';
import type { JsonObject } from '../json-object.js';
import { printerOf, printers } from './printers.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };

const cellsOf = (resource: string, object: JsonObject) => printerOf(resource).cells(object, now);

/** A row of `kubectl get -o wide`, without the name. */
function row(resource: string, object: JsonObject): string {
  return cellsOf(resource, { metadata, ...object })
    .slice(1)
    .join(' | ');
}

const template = {
  spec: {
    containers: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:1' },
    ],
  },
};
const selector = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }] };

it.each<[string, JsonObject, string]>([
  [
    'nodes',
    {
      metadata: { ...metadata, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'InternalIP', address: 'fd00::1' },
        ],
        nodeInfo: {
          kubeletVersion: 'v1.36.0',
          osImage: 'Debian',
          kernelVersion: '6.1',
          architecture: 'arm64',
          containerRuntimeVersion: 'containerd://2.1',
        },
      },
    },
    'Ready,SchedulingDisabled | edge,worker | 60m | v1.36.0 | 10.0.0.1 | <none> | Debian | 6.1 (arm64) | containerd://2.1',
  ],
  ['nodes', {}, 'Unknown | <none> | 60m |  | <none> | <none> | <unknown> | <unknown> | <unknown>'],
  ['namespaces', { status: { phase: 'Active' } }, 'Active | 60m'],
  ['configmaps', { data: { a: '1' }, binaryData: { b: '' } }, '2 | 60m'],
  ['secrets', { type: 'Opaque', data: { a: '' } }, 'Opaque | 1 | 60m'],
  ['serviceaccounts', {}, '60m'],
  [
    'services',
    {
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.1.0.1',
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
    },
    'LoadBalancer | 10.1.0.1 | <pending> | 80:30080/TCP,53/UDP | 60m | a=1,b=2',
  ],
  [
    'services',
    {
      spec: { type: 'LoadBalancer', clusterIPs: ['10.1.0.1', 'fd00::1'], externalIPs: ['9.9.9.9', '1.1.1.1'] },
      status: { loadBalancer: { ingress: [{ hostname: 'lb.example' }, { ip: '5.5.5.5' }, { ip: '5.5.5.5' }, {}] } },
    },
    'LoadBalancer | 10.1.0.1 | 5.5.5.5,lb.example,9.9.9.9,1.1.1.1 | <none> | 60m | <none>',
  ],
  [
    'services',
    { spec: { type: 'Other', selector: { app: 'x', 'app.kubernetes.io/name': 'y', 'app-b': 'z' } } },
    'Other | <none> | <unknown> | <none> | 60m | app-b=z,app.kubernetes.io/name=y,app=x',
  ],
  ['services', { spec: { type: 'ClusterIP', clusterIP: 'None' } }, 'ClusterIP | None | <none> | <none> | 60m | <none>'],
  [
    'deployments.apps',
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 } },
    '1/3 | 2 | 1 | 60m | a,b | a:1,b:1 | app=x,tier in (a,b)',
  ],
  ['deployments.apps', { spec: { selector: {} } }, '0/1 | 0 | 0 | 60m |  |  | '],
  ['deployments.apps', { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } }, '0/1 | 0 | 0 | 60m |  |  | <invalid>'],
  [
    'replicasets.apps',
    { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } } },
    '1 | 0 | 0 | 60m |  |  | <error>',
  ],
  [
    'replicasets.apps',
    {
      spec: {
        selector: {
          matchExpressions: [
            { key: 'b', operator: 'DoesNotExist' },
            { key: 'c', operator: 'NotIn', values: ['y', 'x'] },
            { key: 'a', operator: 'Exists' },
          ],
        },
      },
    },
    '1 | 0 | 0 | 60m |  |  | a,!b,c notin (x,y)',
  ],
  ['replicasets.apps', { spec: { replicas: 0, selector, template } }, '0 | 0 | 0 | 60m | a,b | a:1,b:1 | app=x,tier in (a,b)'],
  ['statefulsets.apps', { spec: { template } }, '0/1 | 60m | a,b | a:1,b:1'],
  [
    'daemonsets.apps',
    { spec: { template }, status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1 } },
    '3 | 2 | 1 | 0 | 0 | <none> | 60m | a,b | a:1,b:1 | <none>',
  ],
  [
    'jobs.batch',
    {
      spec: { completions: 2, template },
      status: {
        succeeded: 2,
        startTime: '2026-01-01T00:00:00Z',
        completionTime: '2026-01-01T00:01:00Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    'Complete | 2/2 | 60s | 60m | a,b | a:1,b:1 | <none>',
  ],
  ['jobs.batch', { spec: { parallelism: 3, template } }, 'Running | 0/1 of 3 |  | 60m | a,b | a:1,b:1 | <none>'],
  [
    'cronjobs.batch',
    {
      spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } },
      status: { lastScheduleTime: '2026-01-01T00:59:30Z' },
    },
    '* * * * * | <none> | False | 0 | 30s | 60m | a,b | a:1,b:1 | <none>',
  ],
  ['poddisruptionbudgets.policy', { spec: { minAvailable: '50%' } }, '50% | N/A | 0 | 60m'],
  [
    'horizontalpodautoscalers.autoscaling',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 5,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
      status: { currentReplicas: 2 },
    },
    'Deployment/d | cpu: <unknown>/80% | <unset> | 5 | 2 | 60m',
  ],
  ['leases.coordination.k8s.io', { spec: { holderIdentity: 'n' } }, 'n | 60m'],
  [
    'persistentvolumes',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'ns', name: 'c' },
        storageClassName: 'fast',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Bound' },
    },
    '1Gi | RWO,RWX | Retain | Bound | ns/c | fast | <unset> |  | 60m | Filesystem',
  ],
  ['persistentvolumeclaims', { status: { phase: 'Pending' } }, 'Pending |  |  |  |  | <unset> | 60m | Filesystem'],
  ['storageclasses.storage.k8s.io', { provisioner: 'p' }, 'p | Delete | Immediate | false | 60m'],
  [
    'csidrivers.storage.k8s.io',
    { spec: { volumeLifecycleModes: ['Persistent'] } },
    'true | false | false | <unset> | false | Persistent | 60m',
  ],
  ['csinodes.storage.k8s.io', { spec: { drivers: [{ name: 'd' }] } }, '1 | 60m'],
  [
    'volumeattachments.storage.k8s.io',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } }, status: { attached: true } },
    'a | v | n | true | 60m',
  ],
  [
    'endpoints',
    { subsets: [{ addresses: [1, 2, 3, 4].map((n) => ({ ip: `10.0.0.${n}` })), ports: [{ port: 80 }] }] },
    '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more... | 60m',
  ],
  [
    'endpointslices.discovery.k8s.io',
    { addressType: 'IPv4', ports: [{ port: 80 }], endpoints: [{ addresses: ['10.0.0.1'] }] },
    'IPv4 | 80 | 10.0.0.1 | 60m',
  ],
  ['ingresses.networking.k8s.io', { spec: { rules: [{ host: 'a.b' }, {}], tls: [{}] } }, '<none> | a.b |  | 80, 443 | 60m'],
  ['networkpolicies.networking.k8s.io', { spec: { podSelector: {} } }, '<none> | 60m'],
  [
    'certificatesigningrequests.certificates.k8s.io',
    {
      spec: { signerName: 's', username: 'u', expirationSeconds: 3600 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'x' },
    },
    '60m | s | u | 60m | Approved,Issued',
  ],
  ['runtimeclasses.node.k8s.io', { handler: 'runc' }, 'runc | 60m'],
  ['priorityclasses.scheduling.k8s.io', { value: 10, preemptionPolicy: 'Never' }, '10 | false | 60m | Never'],
  [
    'rolebindings.rbac.authorization.k8s.io',
    {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    'Role/r | 60m | u |  | n/s',
  ],
  ['resourcequotas', { status: { hard: { pods: '5', 'limits.cpu': '2' }, used: { pods: '1' } } }, 'pods: 1/5 | limits.cpu: 0/2 | 60m'],
  ['clusterroles.rbac.authorization.k8s.io', {}, '2026-01-01T00:00:00Z'],
  ['csistoragecapacities.storage.k8s.io', { storageClassName: 'fast' }, '2026-01-01T00:00:00Z'],
  ['endpoints', { subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }] }] }, ' | 60m'],
  ['endpointslices.discovery.k8s.io', { addressType: 'IPv4', ports: [{ name: 'http' }], endpoints: [{}] }, 'IPv4 | http | <unset> | 60m'],
  [
    'ingresses.networking.k8s.io',
    {
      spec: { ingressClassName: 'c', rules: ['a', 'b', 'c', ''].map((host) => ({ host })) },
      status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a.lb' }, { ip: '2.2.2.2' }] } },
    },
    'c | a,b,c + 1 more... | 2.2.2.2,a.lb | 80 | 60m',
  ],
  [
    'ingressclasses.networking.k8s.io',
    { spec: { controller: 'a.b/c', parameters: { apiGroup: 'g.io', kind: 'P', name: 'p' } } },
    'a.b/c | P.g.io/p | 60m',
  ],
  ['ingressclasses.networking.k8s.io', { spec: { controller: 'a.b/c' } }, 'a.b/c | <none> | 60m'],
  ['ipaddresses.networking.k8s.io', { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } }, 'services/n/s'],
  ['ipaddresses.networking.k8s.io', { spec: { parentRef: { group: 'G.io', resource: 'r', name: 's' } } }, 'r.g.io/s'],
  ['servicecidrs.networking.k8s.io', { spec: { cidrs: ['10.0.0.0/16', 'fd00::/108'] } }, '10.0.0.0/16,fd00::/108 | 60m'],
  ['volumeattributesclasses.storage.k8s.io', { driverName: 'd.io' }, 'd.io | 60m'],
  ['scales.autoscaling', { spec: { replicas: 3 }, status: { replicas: 2 } }, '3 | 2 | 60m'],
  ['deviceclasses.resource.k8s.io', {}, '60m'],
  ['resourceclaimtemplates.resource.k8s.io', {}, '60m'],
  ['resourceclaims.resource.k8s.io', {}, 'pending | 60m'],
  ['resourceclaims.resource.k8s.io', { status: { allocation: {}, reservedFor: [{}] } }, 'allocated,reserved | 60m'],
  ['resourceclaims.resource.k8s.io', { metadata: { ...metadata, deletionTimestamp: metadata.creationTimestamp } }, 'deleted | 60m'],
  ['resourceslices.resource.k8s.io', { spec: { nodeName: 'n', driver: 'd', pool: { name: 'p' } } }, 'n | d | p | 60m'],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', { spec: { validations: [{}, {}] } }, '2 | <unset> | 60m'],
  [
    'mutatingadmissionpolicies.admissionregistration.k8s.io',
    { spec: { mutations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
    '1 | v1/ConfigMap | 60m',
  ],
  ['mutatingadmissionpolicybindings.admissionregistration.k8s.io', { spec: { policyName: 'p' } }, 'p | <unset> | 60m'],
  [
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    { spec: { policyName: 'p', paramRef: { name: 'x' } } },
    'p | */x | 60m',
  ],
  [
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    {
      spec: {
        policyName: 'p',
        paramRef: { selector: { matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] } },
      },
    },
    'p | &LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},' +
      'MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},} | 60m',
  ],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 0,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    'Limited | 0 | 64 | 6 | 50 | 60m',
  ],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    { spec: { type: 'Exempt' } },
    'Exempt | <none> | <none> | <none> | <none> | 60m',
  ],
  [
    'apiservices.apiregistration.k8s.io',
    { spec: { service: { namespace: 'n', name: 's' } }, status: { conditions: [{ type: 'Available', status: 'Unknown', reason: 'R' }] } },
    'n/s | Unknown (R) | 60m',
  ],
  [
    'horizontalpodautoscalers.autoscaling',
    {
      spec: {
        minReplicas: 2,
        metrics: [
          { type: 'Pods', pods: { target: { averageValue: '1k' } } },
          { type: 'External', external: { target: { averageValue: '5' } } },
          { type: 'Resource', resource: { name: 'memory', target: { averageValue: '1Gi' } } },
        ],
      },
      status: { currentMetrics: [{ type: 'Pods', pods: { current: { averageValue: '900' } } }] },
    },
    '/ | 900/1k, <unknown>/5 (avg) + 1 more... | 2 | 0 | 0 | 60m',
  ],
])('prints %s', (resource, object, expected) => {
  expect(row(resource, object)).toBe(expected);
});

it('marks default classes', () => {
  const nameOf = (resource: string, annotation: string) =>
    cellsOf(resource, { metadata: { ...metadata, annotations: { [annotation]: 'true' } } })[0];
  expect(nameOf('storageclasses.storage.k8s.io', 'storageclass.beta.kubernetes.io/is-default-class')).toBe('x (default)');
  expect(nameOf('ingressclasses.networking.k8s.io', 'ingressclass.kubernetes.io/is-default-class')).toBe('x (default)');
});

it('declares the types and formats of the API server', () => {
  const declared = (resource: string) => printerOf(resource).columns.map(({ name, type, format }) => `${name} ${type} ${format}`.trim());
  expect(declared('deployments.apps').slice(0, 4)).toEqual(['Name string name', 'Ready string', 'Up-to-date string', 'Available string']);
  expect(declared('volumeattachments.storage.k8s.io').slice(1, 2)).toEqual(['Attacher string name']);
  expect(declared('events').at(-1)).toBe('Name string');
  expect(declared('scales.autoscaling')[0]).toBe('Name string');
});

it('prints an event', () => {
  const event = {
    metadata,
    type: 'Warning',
    reason: 'BackOff',
    involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{a}' },
    source: { component: 'kubelet', host: 'n' },
    message: 'text\n',
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:59:30Z',
    count: 3,
  };
  const cells = ['30s', 'Warning', 'BackOff', 'pod/p', 'spec.containers{a}', 'kubelet, n', 'text', '60m', 3, 'x'];
  expect(cellsOf('events', event)).toEqual(cells);
});

it('prints an event of the new API by its series', () => {
  const event = {
    metadata,
    regarding: { kind: 'Node', name: 'n' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    series: { count: 7, lastObservedTime: '2026-01-01T00:58:00.000000Z' },
    reportingController: 'k',
    note: 'm',
  };
  expect(cellsOf('events.events.k8s.io', event)).toEqual(['2m', '', '', 'node/n', '', 'k', 'm', '60m', 7, 'x']);
});

it.each(Object.entries(printers))('has a cell for each column of an empty %s', (_, printer) => {
  expect(printer.cells({}, now)).toHaveLength(printer.columns.length);
  expect(printer.columns.every(({ name, type }) => name !== '' && type !== '')).toBe(true);
});

it('sets the condition Completed on rows of terminated pods', () => {
  const ended = (phase: string) => printerOf('pods').conditions?.({ status: { phase } });
  expect(ended('Running')).toEqual([]);
  expect(ended('Failed')).toEqual([{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]);
  expect(ended('Succeeded')?.[0]?.reason).toBe('Succeeded');
});

it('marks the columns that only -o wide shows', () => {
  const narrow = printerOf('pods').columns.filter(({ priority }) => priority === 0);
  expect(narrow.map(({ name }) => name)).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
});
