import { autoscalerFromStored, autoscalerToStored } from './autoscaler-versions.js';
import { eventFromStored, eventToStored } from './event-versions.js';
import type { ResourceVerb, SelectableFields, ServedResource, Subresource } from './resource.js';

const allVerbs: ResourceVerb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const reviewVerbs: ResourceVerb[] = ['create'];
const partVerbs: ResourceVerb[] = ['get', 'patch', 'update'];

interface KindInput {
  /** Default: the plural of the kind in lower case. */
  resource?: string;
  namespaced?: false;
  short?: string[];
  categories?: string[];
  verbs?: ResourceVerb[];
  /** Whether `status` is a subresource. */
  status?: true;
  scale?: true;
  generation?: true;
  parts?: Subresource[];
  fields?: SelectableFields;
  storage?: string;
  fromStored?: ServedResource['fromStored'];
  toStored?: ServedResource['toStored'];
}

function plural(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower === 'endpoints') return lower;
  if (/(s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

function inGroup(group: string, version: string, kinds: Record<string, KindInput>): ServedResource[] {
  return Object.entries(kinds).map(([kind, input]) => {
    const resource = input.resource ?? plural(kind);
    return {
      group,
      version,
      resource,
      singular: kind.toLowerCase(),
      kind,
      listKind: `${kind}List`,
      namespaced: input.namespaced ?? true,
      shortNames: input.short ?? [],
      categories: input.categories ?? [],
      verbs: input.verbs ?? allVerbs,
      subresources: [
        ...(input.status ? [{ name: 'status', kind, verbs: partVerbs }] : []),
        ...(input.scale ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: partVerbs }] : []),
        ...(input.parts ?? []),
      ],
      countsGenerations: input.generation ?? false,
      selectableFields: input.fields ?? {},
      storage: input.storage ?? `${group}/${resource}`,
      ...(input.fromStored && { fromStored: input.fromStored }),
      ...(input.toStored && { toStored: input.toStored }),
    };
  });
}

const fields = (...names: string[]): SelectableFields => Object.fromEntries(names.map((name) => [name, '']));
const review = (input: KindInput = {}): KindInput => ({ namespaced: false, ...input, verbs: reviewVerbs });
const cluster = (input: KindInput = {}): KindInput => ({ namespaced: false, ...input });
const all = ['all'];

const streamVerbs: ResourceVerb[] = ['create', 'get'];
const proxyVerbs: ResourceVerb[] = ['create', 'delete', 'get', 'patch', 'update'];

const podParts: Subresource[] = [
  { name: 'attach', kind: 'PodAttachOptions', verbs: streamVerbs },
  { name: 'binding', kind: 'Binding', verbs: ['create'] },
  { name: 'ephemeralcontainers', kind: 'Pod', verbs: partVerbs },
  { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  { name: 'exec', kind: 'PodExecOptions', verbs: streamVerbs },
  { name: 'log', kind: 'Pod', verbs: ['get'] },
  { name: 'portforward', kind: 'PodPortForwardOptions', verbs: streamVerbs },
  { name: 'proxy', kind: 'PodProxyOptions', verbs: proxyVerbs },
  { name: 'resize', kind: 'Pod', verbs: partVerbs },
];

const podFields: SelectableFields = {
  ...fields('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase', 'status.podIP'),
  ...fields('status.podIPs', 'status.nominatedNodeName'),
  'spec.hostNetwork': 'false',
};

const eventFields = fields(
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => `involvedObject.${field}`),
  ...['reason', 'reportingComponent', 'source', 'type'],
);

const core: Record<string, KindInput> = {
  Pod: { short: ['po'], categories: all, status: true, generation: true, parts: podParts, fields: podFields },
  Node: cluster({
    short: ['no'],
    status: true,
    parts: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: proxyVerbs }],
    fields: { 'spec.unschedulable': 'false' },
  }),
  Namespace: cluster({
    short: ['ns'],
    verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
    status: true,
    parts: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
    fields: fields('status.phase'),
  }),
  Service: {
    short: ['svc'],
    categories: all,
    status: true,
    parts: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: proxyVerbs }],
    fields: { 'spec.clusterIP': '', 'spec.type': '' },
  },
  ConfigMap: { short: ['cm'] },
  Secret: { fields: fields('type') },
  ServiceAccount: {
    short: ['sa'],
    parts: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
  },
  Event: { short: ['ev'], fields: eventFields, storage: '/events' },
  Endpoints: { short: ['ep'] },
  PersistentVolume: cluster({ short: ['pv'], status: true }),
  PersistentVolumeClaim: { short: ['pvc'], status: true },
  ReplicationController: {
    short: ['rc'],
    categories: all,
    status: true,
    scale: true,
    generation: true,
    fields: { 'status.replicas': '0' },
  },
  ResourceQuota: { short: ['quota'], status: true },
  LimitRange: { short: ['limits'] },
  PodTemplate: { generation: true },
  Binding: { verbs: ['create'] },
  ComponentStatus: cluster({ short: ['cs'], verbs: ['get', 'list'] }),
};

const apps: Record<string, KindInput> = {
  Deployment: { short: ['deploy'], categories: all, status: true, scale: true, generation: true },
  ReplicaSet: { short: ['rs'], categories: all, status: true, scale: true, generation: true, fields: { 'status.replicas': '0' } },
  StatefulSet: { short: ['sts'], categories: all, status: true, scale: true, generation: true },
  DaemonSet: { short: ['ds'], categories: all, status: true, generation: true },
  ControllerRevision: {},
};

const readVerbs: ResourceVerb[] = ['get', 'list'];

/** The metrics API, which stores no objects. */
export const metricsResources: readonly ServedResource[] = inGroup('metrics.k8s.io', 'v1beta1', {
  NodeMetrics: { resource: 'nodes', namespaced: false, verbs: readVerbs },
  PodMetrics: { resource: 'pods', verbs: readVerbs },
});

/** The kinds of a v1.36 cluster that nodes, controllers and kubectl use: Kubernetes API reference. */
export const builtInResources: readonly ServedResource[] = [
  ...inGroup('', 'v1', core),
  ...inGroup('apps', 'v1', apps),
  ...inGroup('batch', 'v1', {
    Job: { categories: all, status: true, generation: true, fields: { 'status.successful': '0' } },
    CronJob: { short: ['cj'], categories: all, status: true, generation: true },
  }),
  ...inGroup('autoscaling', 'v2', { HorizontalPodAutoscaler: { short: ['hpa'], categories: all, status: true } }),
  ...inGroup('autoscaling', 'v1', {
    HorizontalPodAutoscaler: {
      short: ['hpa'],
      categories: all,
      status: true,
      fromStored: autoscalerFromStored,
      toStored: autoscalerToStored,
    },
  }),
  ...inGroup('coordination.k8s.io', 'v1', { Lease: {} }),
  ...inGroup('discovery.k8s.io', 'v1', { EndpointSlice: { generation: true } }),
  ...inGroup('events.k8s.io', 'v1', {
    Event: {
      short: ['ev'],
      fields: fields('reason', 'reportingController', 'type', 'regarding.kind', 'regarding.name', 'regarding.namespace', 'regarding.uid'),
      storage: '/events',
      fromStored: eventFromStored,
      toStored: eventToStored,
    },
  }),
  ...inGroup('networking.k8s.io', 'v1', {
    Ingress: { short: ['ing'], status: true, generation: true },
    IngressClass: cluster({ generation: true }),
    NetworkPolicy: { short: ['netpol'], generation: true },
    IPAddress: cluster({ short: ['ip'] }),
    ServiceCIDR: cluster({ status: true }),
  }),
  ...inGroup('node.k8s.io', 'v1', { RuntimeClass: cluster() }),
  ...inGroup('policy', 'v1', { PodDisruptionBudget: { short: ['pdb'], status: true, generation: true } }),
  ...inGroup('rbac.authorization.k8s.io', 'v1', {
    Role: {},
    RoleBinding: {},
    ClusterRole: cluster(),
    ClusterRoleBinding: cluster(),
  }),
  ...inGroup('scheduling.k8s.io', 'v1', { PriorityClass: cluster({ short: ['pc'], generation: true }) }),
  ...inGroup('storage.k8s.io', 'v1', {
    StorageClass: cluster({ short: ['sc'] }),
    VolumeAttachment: cluster({ status: true }),
    CSINode: cluster(),
    CSIDriver: cluster(),
    CSIStorageCapacity: { resource: 'csistoragecapacities' },
    VolumeAttributesClass: cluster({ short: ['vac'] }),
  }),
  ...inGroup('resource.k8s.io', 'v1', {
    DeviceClass: cluster({ generation: true }),
    ResourceClaim: { status: true },
    ResourceClaimTemplate: {},
    ResourceSlice: cluster({ generation: true, fields: fields('spec.nodeName', 'spec.driver') }),
  }),
  ...inGroup('certificates.k8s.io', 'v1', {
    CertificateSigningRequest: cluster({
      short: ['csr'],
      status: true,
      parts: [{ name: 'approval', kind: 'CertificateSigningRequest', verbs: partVerbs }],
      fields: fields('spec.signerName'),
    }),
  }),
  ...inGroup('admissionregistration.k8s.io', 'v1', {
    MutatingWebhookConfiguration: cluster({ categories: ['api-extensions'], generation: true }),
    ValidatingWebhookConfiguration: cluster({ categories: ['api-extensions'], generation: true }),
    ValidatingAdmissionPolicy: cluster({ categories: ['api-extensions'], status: true, generation: true }),
    ValidatingAdmissionPolicyBinding: cluster({ categories: ['api-extensions'], generation: true }),
    MutatingAdmissionPolicy: cluster({ resource: 'mutatingadmissionpolicies', categories: ['api-extensions'], generation: true }),
    MutatingAdmissionPolicyBinding: cluster({ categories: ['api-extensions'], generation: true }),
  }),
  ...inGroup('apiregistration.k8s.io', 'v1', { APIService: cluster({ categories: ['api-extensions'], status: true }) }),
  ...inGroup('flowcontrol.apiserver.k8s.io', 'v1', {
    FlowSchema: cluster({ status: true, generation: true }),
    PriorityLevelConfiguration: cluster({ status: true, generation: true }),
  }),
  ...inGroup('apiextensions.k8s.io', 'v1', {
    CustomResourceDefinition: cluster({ short: ['crd', 'crds'], categories: ['api-extensions'], status: true, generation: true }),
  }),
  ...inGroup('authentication.k8s.io', 'v1', { TokenReview: review(), SelfSubjectReview: review() }),
  ...inGroup('authorization.k8s.io', 'v1', {
    SubjectAccessReview: review(),
    SelfSubjectAccessReview: review(),
    SelfSubjectRulesReview: review(),
    LocalSubjectAccessReview: { verbs: reviewVerbs },
  }),
];
