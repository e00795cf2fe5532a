import { referenceFields } from '@nodeagent/pod-sources/decisions';
import type { FieldSchema } from './field-schema.js';

/*
 * The list types and patch strategies of the built-in kinds, as the API reference of v1.36 gives them ("patch strategy: merge on key
 * `name`", "Map: unique values on key name will be kept during a merge", "Set: unique values will be kept", "Atomic: will be replaced").
 */

type Fields = Readonly<Record<string, FieldSchema>>;

const object = (fields: Fields): FieldSchema => ({ fields });
const atomic: FieldSchema = { atomic: true };
const scalars: FieldSchema = { set: true, mergeKey: '' };

/** Merged by one field, by both kinds of patches. */
const by = (key: string, items?: FieldSchema): FieldSchema => ({ mergeKey: key, keys: [key], ...(items && { items }) });
/** Merged by server-side apply only; strategic merge replaces it. */
const appliedBy = (...keys: string[]): FieldSchema => ({ keys });
/** Merged by strategic merge only; for server-side apply it has one owner. */
const patchedBy = (mergeKey: string): FieldSchema => ({ mergeKey });

const conditions = by('type');
const withConditions = object({ conditions });

const metadata = object({ ownerReferences: by('uid', atomic), finalizers: scalars });

const ports = (mergeKey: string): FieldSchema => ({ mergeKey, keys: [mergeKey, 'protocol'], keyDefaults: { protocol: 'TCP' } });

const variable = object({
  valueFrom: object({ fieldRef: atomic, fileKeyRef: atomic, resourceFieldRef: atomic, configMapKeyRef: atomic, secretKeyRef: atomic }),
});

const resources = object({ claims: appliedBy('name') });

const container = object({
  ports: ports('containerPort'),
  env: by('name', variable),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
  resources,
});

const claimSpec = object({ selector: atomic, dataSource: atomic, resources });

const withSecret = object({ secretRef: atomic });

const sourcesWithReferences = [...referenceFields()].map(([kind, fields]) => [
  kind,
  object(Object.fromEntries(fields.map((field) => [field, atomic]))),
]);

const volume: FieldSchema = {
  retainKeys: true,
  fields: {
    ...Object.fromEntries(sourcesWithReferences),
    ephemeral: object({ volumeClaimTemplate: object({ metadata, spec: claimSpec }) }),
  },
};

const podSpec = object({
  containers: by('name', container),
  initContainers: by('name', container),
  ephemeralContainers: by('name', container),
  volumes: by('name', volume),
  imagePullSecrets: by('name', atomic),
  hostAliases: by('ip'),
  topologySpreadConstraints: {
    mergeKey: 'topologyKey',
    keys: ['topologyKey', 'whenUnsatisfiable'],
    items: object({ labelSelector: atomic }),
  },
  resourceClaims: by('name', { retainKeys: true }),
  schedulingGates: by('name'),
  nodeSelector: atomic,
  affinity: object({ nodeAffinity: object({ requiredDuringSchedulingIgnoredDuringExecution: atomic }) }),
  resources,
});

const podTemplate = object({ metadata, spec: podSpec });

const jobSpec = object({ selector: atomic, template: podTemplate });

const pod = object({
  spec: podSpec,
  status: object({
    conditions,
    podIPs: by('ip'),
    hostIPs: patchedBy('ip'),
    resourceClaimStatuses: by('name', { retainKeys: true }),
  }),
});

const workload = (more: Fields = {}): FieldSchema =>
  object({ spec: object({ selector: atomic, template: podTemplate, ...more }), status: withConditions });

const webhook = object({ namespaceSelector: atomic, objectSelector: atomic, matchConditions: by('name') });
const webhooks = object({ webhooks: by('name', webhook) });

const policyMatch = object({ namespaceSelector: atomic, objectSelector: atomic });
const policyBinding = object({ spec: object({ paramRef: object({ selector: atomic }), matchResources: policyMatch }) });

const noteworthy = object({ involvedObject: atomic, regarding: atomic, related: atomic });
const roleBinding = object({ roleRef: atomic });
const conditionsOnly = object({ status: withConditions });
const plain = object({});

/** By kind and group, such as `Pod` and `Deployment.apps`; everything but metadata. */
const kinds: Fields = {
  ConfigMap: plain,
  Endpoints: plain,
  Event: noteworthy,
  LimitRange: plain,
  Namespace: conditionsOnly,
  Node: object({ spec: object({ podCIDRs: scalars }), status: object({ conditions, addresses: by('type') }) }),
  PersistentVolume: object({
    spec: object({
      nodeAffinity: object({ required: atomic }),
      csi: object({
        controllerExpandSecretRef: atomic,
        controllerPublishSecretRef: atomic,
        nodeExpandSecretRef: atomic,
        nodePublishSecretRef: atomic,
        nodeStageSecretRef: atomic,
      }),
      cephfs: withSecret,
      cinder: withSecret,
      flexVolume: withSecret,
      iscsi: withSecret,
      rbd: withSecret,
      scaleIO: withSecret,
    }),
  }),
  PersistentVolumeClaim: object({ spec: claimSpec, status: withConditions }),
  Pod: pod,
  PodTemplate: object({ template: podTemplate }),
  ReplicationController: workload(),
  ResourceQuota: object({ spec: object({ scopeSelector: atomic }) }),
  Secret: plain,
  Service: object({
    spec: object({ ports: ports('port'), selector: atomic }),
    status: withConditions,
  }),
  ServiceAccount: object({ secrets: by('name', atomic) }),

  'MutatingWebhookConfiguration.admissionregistration.k8s.io': webhooks,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': webhooks,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': object({
    spec: object({ paramKind: atomic, matchConstraints: policyMatch, matchConditions: by('name'), variables: by('name') }),
    status: object({ conditions: appliedBy('type') }),
  }),
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': policyBinding,
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': object({
    spec: object({ paramKind: atomic, matchConstraints: policyMatch, matchConditions: by('name') }),
  }),
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': policyBinding,
  'CustomResourceDefinition.apiextensions.k8s.io': object({ status: object({ conditions: appliedBy('type') }) }),
  'APIService.apiregistration.k8s.io': conditionsOnly,

  'ControllerRevision.apps': plain,
  'DaemonSet.apps': workload(),
  'Deployment.apps': workload({ strategy: { retainKeys: true } }),
  'ReplicaSet.apps': workload(),
  'StatefulSet.apps': workload(),
  'HorizontalPodAutoscaler.autoscaling': object({ status: object({ conditions: by('type') }) }),
  'Job.batch': object({
    spec: jobSpec,
    status: object({ conditions: patchedBy('type'), uncountedTerminatedPods: object({ succeeded: { set: true }, failed: { set: true } }) }),
  }),
  'CronJob.batch': object({ spec: object({ jobTemplate: object({ metadata, spec: jobSpec }) }) }),

  'CertificateSigningRequest.certificates.k8s.io': object({ status: object({ conditions: appliedBy('type') }) }),
  'ClusterTrustBundle.certificates.k8s.io': plain,
  'PodCertificateRequest.certificates.k8s.io': object({ status: withConditions }),
  'Lease.coordination.k8s.io': plain,
  'EndpointSlice.discovery.k8s.io': plain,
  'Event.events.k8s.io': noteworthy,
  'FlowSchema.flowcontrol.apiserver.k8s.io': conditionsOnly,
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': conditionsOnly,
  'Ingress.networking.k8s.io': object({ spec: object({ defaultBackend: object({ resource: atomic }) }) }),
  'IngressClass.networking.k8s.io': plain,
  'IPAddress.networking.k8s.io': plain,
  'NetworkPolicy.networking.k8s.io': object({ spec: object({ podSelector: atomic }) }),
  'ServiceCIDR.networking.k8s.io': conditionsOnly,
  'RuntimeClass.node.k8s.io': object({ scheduling: object({ nodeSelector: atomic }) }),
  'PodDisruptionBudget.policy': object({ spec: object({ selector: { atomic: true, replaced: true } }), status: withConditions }),
  'ClusterRole.rbac.authorization.k8s.io': plain,
  'ClusterRoleBinding.rbac.authorization.k8s.io': roleBinding,
  'Role.rbac.authorization.k8s.io': plain,
  'RoleBinding.rbac.authorization.k8s.io': roleBinding,
  'DeviceClass.resource.k8s.io': plain,
  'ResourceClaim.resource.k8s.io': object({
    status: object({
      reservedFor: by('uid'),
      devices: { keys: ['driver', 'device', 'pool', 'shareID'], items: object({ conditions: appliedBy('type') }) },
    }),
  }),
  'ResourceClaimTemplate.resource.k8s.io': object({ spec: object({ metadata }) }),
  'ResourceSlice.resource.k8s.io': object({ spec: object({ nodeSelector: atomic }) }),
  'PriorityClass.scheduling.k8s.io': plain,
  'CSIDriver.storage.k8s.io': object({ spec: object({ volumeLifecycleModes: { set: true } }) }),
  'CSINode.storage.k8s.io': object({ spec: object({ drivers: by('name') }) }),
  'CSIStorageCapacity.storage.k8s.io': object({ nodeTopology: atomic }),
  'StorageClass.storage.k8s.io': plain,
  'VolumeAttachment.storage.k8s.io': plain,
  'VolumeAttributesClass.storage.k8s.io': plain,
};

/** The metadata of every object; the patch schema of kinds without a specific schema. */
export const metadataSchema: FieldSchema = object({ metadata });

const schemas = new Map(Object.entries(kinds).map(([name, { fields }]) => [name, object({ metadata, ...fields })]));

/** The schema of a built-in kind in any of its versions; undefined for others, such as custom resources. */
export function builtInSchema(apiVersion: string, kind: string): FieldSchema | undefined {
  const slash = apiVersion.indexOf('/');
  return schemas.get(slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`);
}
