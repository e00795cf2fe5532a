import { nameOfType } from '../fields/built-in-types.js';
import type { ObjectField, ObjectType } from '../fields/object-type.js';

/** Required fields that Go omits if they are empty, or that are objects: `TYPE:FIELD,FIELD`, with the version of types that several have. */
const furtherRequired = `
Binding:target CSIDriver:spec CSINode:spec CapacityRequestPolicyRange:min CertificateSigningRequest:spec ClusterRoleBinding:roleRef
Condition:lastTransitionTime ContainerResourceMetricSource:target ContainerResourceMetricStatus:current ContainerRestartRule:action
ContainerRestartRuleOnExitCodes:operator CounterSet:counters CronJob:spec CronJobSpec:jobTemplate CustomResourceDefinition:spec
CustomResourceDefinitionSpec:names DaemonSetSpec:selector,template DeploymentSpec:selector,template DeviceClass:spec
DeviceCounterConsumption:counters ExternalMetricSource:metric,target ExternalMetricStatus:metric,current
FlowSchemaSpec:priorityLevelConfiguration HTTPIngressPath:backend IPAddress:spec IPAddressSpec:parentRef ImageVolumeStatus:imageRef
JobSpec:template LocalSubjectAccessReview:spec MutatingWebhook:clientConfig ObjectMetricSource:describedObject,target,metric
ObjectMetricStatus:metric,current,describedObject OpaqueDeviceConfiguration:parameters ParentReference:resource,name
PersistentVolumeClaimTemplate:spec PodCertificateProjection:signerName,keyType PodsMetricSource:metric,target
PodsMetricStatus:metric,current PreferredSchedulingTerm:preference ReplicaSetSpec:selector resource.k8s.io/v1.ResourceClaim:spec ResourceClaimTemplate:spec
ResourceClaimTemplateSpec:spec ResourceMetricSource:target ResourceMetricStatus:current ResourceSlice:spec ResourceSliceSpec:pool
RoleBinding:roleRef ScaleIOPersistentVolumeSource:secretRef ScaleIOVolumeSource:secretRef SelfSubjectAccessReview:spec
SelfSubjectRulesReview:spec StatefulSetSpec:selector,template SubjectAccessReview:spec TokenReview:spec TokenReviewSpec:token
ValidatingAdmissionPolicyBinding:spec ValidatingAdmissionPolicyBindingSpec:policyName,validationActions ValidatingWebhook:clientConfig
VolumeAttachment:spec VolumeAttachmentSpec:source WeightedPodAffinityTerm:podAffinityTerm autoscaling/v1.HorizontalPodAutoscaler:spec
autoscaling/v1.HorizontalPodAutoscalerSpec:scaleTargetRef autoscaling/v2.HorizontalPodAutoscaler:spec
autoscaling/v2.HorizontalPodAutoscalerSpec:scaleTargetRef events.k8s.io/v1.Event:eventTime events.k8s.io/v1.EventSeries:lastObservedTime
v1.Event:metadata,involvedObject
`;

/** Fields that Go always writes, but that clients may leave out. */
const optional = `
AllocatedDeviceStatus:conditions AzureFilePersistentVolumeSource:secretNamespace CSINodeDriver:topologyKeys CapacityRequestPolicy:default
ClusterRole:rules ContainerImage:names CustomResourceDefinitionStatus:conditions,storedVersions DeviceClaim:requests
EndpointSlice:endpoints,ports FlowSchemaSpec:matchingPrecedence GRPCAction:service IngressClassParametersReference:scope
LimitedPriorityLevelConfiguration:nominalConcurrencyShares NodeRuntimeHandler:name
PodDisruptionBudgetStatus:disruptionsAllowed,currentHealthy,desiredHealthy,expectedPods PodFailurePolicyOnPodConditionsPattern:status
PriorityClass:value ProjectedVolumeSource:sources QueuingConfiguration:queues,handSize,queueLengthLimit ResourceFieldSelector:divisor
ResourcePolicyRule:namespaces Role:rules RoleRef:apiGroup ServicePort:targetPort StatefulSetOrdinals:start StatefulSetSpec:serviceName
StatefulSetStatus:availableReplicas TypedLocalObjectReference:apiGroup TypedObjectReference:apiGroup
autoscaling/v2.HorizontalPodAutoscalerStatus:currentMetrics v1.Event:reportingComponent,reportingInstance
`;

const tableOf = (text: string) =>
  new Map(
    text
      .trim()
      .split(/\s+/)
      .map((entry) => entry.split(':') as [string, string])
      .map(([type, fields]) => [type, fields.split(',')]),
  );

let tables: Record<'required' | 'optional', ReadonlyMap<string, readonly string[]>> | undefined;

const optionalKinds: readonly string[] = ['time', 'microTime', 'raw'];

/** Whether Go's `omitempty` already shows that a field is required: it has none, and an empty value is none. */
const isWritten = ({ isAlways, kind, isList, isMap }: ObjectField) =>
  isAlways && !optionalKinds.includes(kind) && (kind !== 'object' || isList || isMap);

/** The fields of a type that its objects must have: Kubernetes API reference. */
export function requiredFields(type: ObjectType): string[] {
  tables ??= { required: tableOf(furtherRequired), optional: tableOf(optional) };
  const { version = '', name = '' } = nameOfType(type) ?? {};
  const exceptions = (table: 'required' | 'optional') => tables?.[table].get(`${version}.${name}`) ?? tables?.[table].get(name) ?? [];
  const written = fieldsOf(type).filter(isWritten);
  const names = written.map((field) => field.name).filter((field) => !exceptions('optional').includes(field));
  return [...names, ...exceptions('required')].sort();
}

const fieldsOf = (type: ObjectType): ObjectField[] => [
  ...type.fields.values(),
  ...type.inlined.flatMap((inlined) => (inlined.type ? fieldsOf(inlined.type) : [])),
];
