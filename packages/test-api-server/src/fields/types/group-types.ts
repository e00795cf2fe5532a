/** The types of the named groups in their stable versions of v1.36, in the notation of `parseTypes`. */
export const groupTypes = `
# admissionregistration.k8s.io/v1
ApplyConfiguration expression
AuditAnnotation key! valueExpression!
ExpressionWarning 2fieldRef! warning!
JSONPatch expression
MatchCondition name! expression!
MatchResources namespaceSelector:LabelSelector objectSelector:LabelSelector resourceRules:NamedRuleWithOperations[] excludeResourceRules:NamedRuleWithOperations[] 7matchPolicy?
+MutatingAdmissionPolicy metadata!:ObjectMeta spec!:MutatingAdmissionPolicySpec
+MutatingAdmissionPolicyBinding metadata!:ObjectMeta spec!:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec policyName paramRef:ParamRef matchResources:MatchResources
MutatingAdmissionPolicySpec paramKind:ParamKind matchConstraints:MatchResources variables:Variable[] mutations:Mutation[] failurePolicy? matchConditions:MatchCondition[] reinvocationPolicy
MutatingWebhook name! clientConfig!:WebhookClientConfig rules:RuleWithOperations[] failurePolicy? namespaceSelector:LabelSelector sideEffects?! timeoutSeconds?:int admissionReviewVersions!:[] matchPolicy? reinvocationPolicy? objectSelector:LabelSelector matchConditions:MatchCondition[]
+MutatingWebhookConfiguration metadata!:ObjectMeta webhooks:MutatingWebhook[]
Mutation 2patchType! applyConfiguration:ApplyConfiguration jsonPatch:JSONPatch
NamedRuleWithOperations resourceNames:[] *:RuleWithOperations
ParamKind apiVersion kind
ParamRef name namespace selector:LabelSelector parameterNotFoundAction?
Rule apiGroups:[] apiVersions:[] resources:[] scope?
RuleWithOperations operations:[] *:Rule
ServiceReference namespace! name! path? port?:int
TypeChecking expressionWarnings:ExpressionWarning[]
+ValidatingAdmissionPolicy metadata!:ObjectMeta spec!:ValidatingAdmissionPolicySpec status!:ValidatingAdmissionPolicyStatus
+ValidatingAdmissionPolicyBinding metadata!:ObjectMeta spec!:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName paramRef:ParamRef matchResources:MatchResources validationActions:[]
ValidatingAdmissionPolicySpec paramKind:ParamKind matchConstraints:MatchResources validations:Validation[] failurePolicy? auditAnnotations:AuditAnnotation[] matchConditions:MatchCondition[] variables:Variable[]
ValidatingAdmissionPolicyStatus observedGeneration:int typeChecking:TypeChecking conditions:Condition[]
ValidatingWebhook name! clientConfig!:WebhookClientConfig rules:RuleWithOperations[] failurePolicy? namespaceSelector:LabelSelector sideEffects?! timeoutSeconds?:int admissionReviewVersions!:[] matchPolicy? objectSelector:LabelSelector matchConditions:MatchCondition[]
+ValidatingWebhookConfiguration metadata!:ObjectMeta webhooks:ValidatingWebhook[]
Validation expression! message reason? messageExpression
Variable name! expression!
WebhookClientConfig service:ServiceReference caBundle:bytes url?
# apiextensions.k8s.io/v1
ConversionRequest uid! desiredAPIVersion! objects!:raw[]
ConversionResponse uid! convertedObjects!:raw[] result!:Status
+ConversionReview request:ConversionRequest response:ConversionResponse
CustomResourceColumnDefinition name! type! format description priority:int jsonPath!
CustomResourceConversion strategy! webhook:WebhookConversion
+CustomResourceDefinition metadata!:ObjectMeta spec!:CustomResourceDefinitionSpec status!:CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type! status! lastTransitionTime!:time reason message observedGeneration:int
CustomResourceDefinitionNames plural! singular shortNames:[] kind! listKind categories:[]
CustomResourceDefinitionSpec group! 3names!:CustomResourceDefinitionNames scope! 7versions!:CustomResourceDefinitionVersion[] 9conversion:CustomResourceConversion preserveUnknownFields:bool
CustomResourceDefinitionStatus conditions!:CustomResourceDefinitionCondition[] acceptedNames!:CustomResourceDefinitionNames storedVersions!:[] observedGeneration:int
CustomResourceDefinitionVersion name! served!:bool storage!:bool schema:CustomResourceValidation subresources:CustomResourceSubresources additionalPrinterColumns:CustomResourceColumnDefinition[] deprecated:bool deprecationWarning? selectableFields:SelectableField[]
CustomResourceSubresourceScale specReplicasPath! statusReplicasPath! labelSelectorPath?
CustomResourceSubresourceStatus
CustomResourceSubresources status:CustomResourceSubresourceStatus scale:CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema:JSONSchemaProps
ExternalDocumentation description url
JSONSchemaProps id $schema $ref? description type format title default:raw maximum?:double exclusiveMaximum:bool minimum?:double exclusiveMinimum:bool maxLength?:int minLength?:int pattern maxItems?:int minItems?:int uniqueItems:bool multipleOf?:double enum:raw[] maxProperties?:int minProperties?:int required:[] items:schemaOrList allOf:JSONSchemaProps[] oneOf:JSONSchemaProps[] anyOf:JSONSchemaProps[] not:JSONSchemaProps properties:JSONSchemaProps{} additionalProperties:schemaOrBool patternProperties:JSONSchemaProps{} dependencies:schemaOrStrings{} additionalItems:schemaOrBool definitions:JSONSchemaProps{} externalDocs:ExternalDocumentation example:raw nullable:bool x-kubernetes-preserve-unknown-fields?:bool x-kubernetes-embedded-resource:bool x-kubernetes-int-or-string:bool x-kubernetes-list-map-keys:[] x-kubernetes-list-type? x-kubernetes-map-type? x-kubernetes-validations:ValidationRule[]
SelectableField jsonPath!
ServiceReference namespace! name! path? port?:int
ValidationRule rule! message messageExpression reason? fieldPath optionalOldSelf?:bool
WebhookClientConfig service:ServiceReference caBundle:bytes url?
WebhookConversion 2clientConfig:WebhookClientConfig conversionReviewVersions!:[]
# apiregistration.k8s.io/v1
+APIService metadata!:ObjectMeta spec!:APIServiceSpec status!:APIServiceStatus
APIServiceCondition type! status! lastTransitionTime!:time reason message
APIServiceSpec service:ServiceReference group version insecureSkipTLSVerify:bool caBundle:bytes 7groupPriorityMinimum!:int versionPriority!:int
APIServiceStatus conditions:APIServiceCondition[]
ServiceReference namespace name port?:int
# apps/v1
+ControllerRevision metadata!:ObjectMeta data:raw revision!:int
+DaemonSet metadata!:ObjectMeta spec!:DaemonSetSpec status!:DaemonSetStatus
DaemonSetCondition type! status! lastTransitionTime!:time reason message
DaemonSetSpec selector?!:LabelSelector template!:PodTemplateSpec updateStrategy!:DaemonSetUpdateStrategy minReadySeconds:int 6revisionHistoryLimit?:int
DaemonSetStatus currentNumberScheduled!:int numberMisscheduled!:int desiredNumberScheduled!:int numberReady!:int observedGeneration:int updatedNumberScheduled:int numberAvailable:int numberUnavailable:int collisionCount?:int conditions:DaemonSetCondition[]
DaemonSetUpdateStrategy type rollingUpdate:RollingUpdateDaemonSet
+Deployment metadata!:ObjectMeta spec!:DeploymentSpec status!:DeploymentStatus
DeploymentCondition type! status! 4reason message lastUpdateTime!:time lastTransitionTime!:time
DeploymentSpec replicas?:int selector?!:LabelSelector template!:PodTemplateSpec strategy!:DeploymentStrategy minReadySeconds:int revisionHistoryLimit?:int paused:bool 9progressDeadlineSeconds?:int
DeploymentStatus observedGeneration:int replicas:int updatedReplicas:int availableReplicas:int unavailableReplicas:int conditions:DeploymentCondition[] readyReplicas:int collisionCount?:int terminatingReplicas?:int
DeploymentStrategy type rollingUpdate:RollingUpdateDeployment
+ReplicaSet metadata!:ObjectMeta spec!:ReplicaSetSpec status!:ReplicaSetStatus
ReplicaSetCondition type! status! lastTransitionTime!:time reason message
ReplicaSetSpec replicas?:int selector?!:LabelSelector template!:PodTemplateSpec minReadySeconds:int
ReplicaSetStatus replicas!:int fullyLabeledReplicas:int observedGeneration:int readyReplicas:int availableReplicas:int conditions:ReplicaSetCondition[] terminatingReplicas?:int
RollingUpdateDaemonSet maxUnavailable:intOrString maxSurge:intOrString
RollingUpdateDeployment maxUnavailable:intOrString maxSurge:intOrString
RollingUpdateStatefulSetStrategy partition?:int maxUnavailable:intOrString
+StatefulSet metadata!:ObjectMeta spec!:StatefulSetSpec status!:StatefulSetStatus
StatefulSetCondition type! status! lastTransitionTime!:time reason message
StatefulSetOrdinals start!:int
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted whenScaled
StatefulSetSpec replicas?:int selector?!:LabelSelector template!:PodTemplateSpec volumeClaimTemplates:PersistentVolumeClaim[] serviceName! podManagementPolicy updateStrategy!:StatefulSetUpdateStrategy revisionHistoryLimit?:int minReadySeconds:int persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy ordinals:StatefulSetOrdinals
StatefulSetStatus observedGeneration:int replicas!:int readyReplicas:int currentReplicas:int updatedReplicas:int currentRevision updateRevision 9collisionCount?:int conditions:StatefulSetCondition[] availableReplicas!:int
StatefulSetUpdateStrategy type rollingUpdate:RollingUpdateStatefulSetStrategy
# authentication.k8s.io/v1
BoundObjectReference kind apiVersion name uid
+SelfSubjectReview metadata!:ObjectMeta status!:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo!:UserInfo
+TokenRequest metadata!:ObjectMeta spec!:TokenRequestSpec status!:TokenRequestStatus
TokenRequestSpec audiences!:[] 3boundObjectRef?!:BoundObjectReference expirationSeconds?!:int
TokenRequestStatus token! expirationTimestamp!:time
+TokenReview metadata!:ObjectMeta spec!:TokenReviewSpec status!:TokenReviewStatus
TokenReviewSpec token audiences:[]
TokenReviewStatus authenticated:bool user!:UserInfo error audiences:[]
UserInfo username uid groups:[] extra:stringList{}
# authorization.k8s.io/v1
FieldSelectorAttributes rawSelector requirements:FieldSelectorRequirement[]
LabelSelectorAttributes rawSelector requirements:LabelSelectorRequirement[]
+LocalSubjectAccessReview metadata!:ObjectMeta spec!:SubjectAccessReviewSpec status!:SubjectAccessReviewStatus
NonResourceAttributes path verb
NonResourceRule verbs!:[] nonResourceURLs:[]
ResourceAttributes namespace verb group version resource subresource name fieldSelector:FieldSelectorAttributes labelSelector:LabelSelectorAttributes
ResourceRule verbs!:[] apiGroups:[] resources:[] resourceNames:[]
+SelfSubjectAccessReview metadata!:ObjectMeta spec!:SelfSubjectAccessReviewSpec status!:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes:ResourceAttributes nonResourceAttributes:NonResourceAttributes
+SelfSubjectRulesReview metadata!:ObjectMeta spec!:SelfSubjectRulesReviewSpec status!:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace
+SubjectAccessReview metadata!:ObjectMeta spec!:SubjectAccessReviewSpec status!:SubjectAccessReviewStatus
SubjectAccessReviewSpec resourceAttributes:ResourceAttributes nonResourceAttributes:NonResourceAttributes user groups:[] extra:stringList{} uid
SubjectAccessReviewStatus allowed!:bool reason evaluationError denied:bool
SubjectRulesReviewStatus resourceRules!:ResourceRule[] nonResourceRules!:NonResourceRule[] incomplete!:bool evaluationError
# autoscaling/v1
ContainerResourceMetricSource name! targetAverageUtilization?:int targetAverageValue:quantity 5container!
ContainerResourceMetricStatus name! currentAverageUtilization?:int currentAverageValue!:quantity container!
CrossVersionObjectReference kind! name! apiVersion
ExternalMetricSource metricName! metricSelector:LabelSelector targetValue:quantity targetAverageValue:quantity
ExternalMetricStatus metricName! metricSelector:LabelSelector currentValue!:quantity currentAverageValue:quantity
+HorizontalPodAutoscaler metadata!:ObjectMeta spec!:HorizontalPodAutoscalerSpec status!:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition type! status! lastTransitionTime!:time reason message
HorizontalPodAutoscalerSpec scaleTargetRef!:CrossVersionObjectReference minReplicas?:int maxReplicas!:int targetCPUUtilizationPercentage?:int
HorizontalPodAutoscalerStatus observedGeneration?:int lastScaleTime:time currentReplicas!:int desiredReplicas!:int currentCPUUtilizationPercentage?:int
MetricSpec type! object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource external:ExternalMetricSource 7containerResource:ContainerResourceMetricSource
MetricStatus type! object:ObjectMetricStatus pods:PodsMetricStatus resource:ResourceMetricStatus external:ExternalMetricStatus 7containerResource:ContainerResourceMetricStatus
ObjectMetricSource target!:CrossVersionObjectReference metricName! targetValue!:quantity selector:LabelSelector averageValue:quantity
ObjectMetricStatus target!:CrossVersionObjectReference metricName! currentValue!:quantity selector:LabelSelector averageValue:quantity
PodsMetricSource metricName! targetAverageValue!:quantity selector:LabelSelector
PodsMetricStatus metricName! currentAverageValue!:quantity selector:LabelSelector
ResourceMetricSource name! targetAverageUtilization?:int targetAverageValue:quantity
ResourceMetricStatus name! currentAverageUtilization?:int currentAverageValue!:quantity
+Scale metadata!:ObjectMeta spec!:ScaleSpec status!:ScaleStatus
ScaleSpec replicas:int
ScaleStatus replicas!:int selector
# autoscaling/v2
ContainerResourceMetricSource name! target!:MetricTarget container!
ContainerResourceMetricStatus name! current!:MetricValueStatus container!
CrossVersionObjectReference kind! name! apiVersion
ExternalMetricSource metric!:MetricIdentifier target!:MetricTarget
ExternalMetricStatus metric!:MetricIdentifier current!:MetricValueStatus
HPAScalingPolicy type! value!:int periodSeconds!:int
HPAScalingRules selectPolicy? policies:HPAScalingPolicy[] stabilizationWindowSeconds?:int tolerance:quantity
+HorizontalPodAutoscaler metadata!:ObjectMeta spec!:HorizontalPodAutoscalerSpec status!:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleUp:HPAScalingRules scaleDown:HPAScalingRules
HorizontalPodAutoscalerCondition type! status! lastTransitionTime!:time reason message
HorizontalPodAutoscalerSpec scaleTargetRef!:CrossVersionObjectReference minReplicas?:int maxReplicas!:int metrics:MetricSpec[] behavior:HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus observedGeneration?:int lastScaleTime:time currentReplicas:int desiredReplicas!:int currentMetrics!:MetricStatus[] conditions:HorizontalPodAutoscalerCondition[]
MetricIdentifier name! selector:LabelSelector
MetricSpec type! object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource external:ExternalMetricSource 7containerResource:ContainerResourceMetricSource
MetricStatus type! object:ObjectMetricStatus pods:PodsMetricStatus resource:ResourceMetricStatus external:ExternalMetricStatus 7containerResource:ContainerResourceMetricStatus
MetricTarget type! value:quantity averageValue:quantity averageUtilization?:int
MetricValueStatus value:quantity averageValue:quantity averageUtilization?:int
ObjectMetricSource describedObject!:CrossVersionObjectReference target!:MetricTarget metric!:MetricIdentifier
ObjectMetricStatus metric!:MetricIdentifier current!:MetricValueStatus describedObject!:CrossVersionObjectReference
PodsMetricSource metric!:MetricIdentifier target!:MetricTarget
PodsMetricStatus metric!:MetricIdentifier current!:MetricValueStatus
ResourceMetricSource name! target!:MetricTarget
ResourceMetricStatus name! current!:MetricValueStatus
# batch/v1
+CronJob metadata!:ObjectMeta spec!:CronJobSpec status!:CronJobStatus
CronJobSpec schedule! startingDeadlineSeconds?:int concurrencyPolicy suspend?:bool jobTemplate!:JobTemplateSpec successfulJobsHistoryLimit?:int failedJobsHistoryLimit?:int timeZone?
CronJobStatus active:ObjectReference[] 4lastScheduleTime:time lastSuccessfulTime:time
+Job metadata!:ObjectMeta spec!:JobSpec status!:JobStatus
JobCondition type! status! lastProbeTime!:time lastTransitionTime!:time reason message
JobSpec parallelism?:int completions?:int activeDeadlineSeconds?:int selector:LabelSelector manualSelector?:bool template!:PodTemplateSpec backoffLimit?:int ttlSecondsAfterFinished?:int completionMode? suspend?:bool podFailurePolicy:PodFailurePolicy backoffLimitPerIndex?:int maxFailedIndexes?:int podReplacementPolicy? managedBy? successPolicy:SuccessPolicy
JobStatus conditions:JobCondition[] startTime:time completionTime:time active:int succeeded:int failed:int completedIndexes uncountedTerminatedPods:UncountedTerminatedPods ready?:int failedIndexes? terminating?:int
JobTemplateSpec metadata!:ObjectMeta spec!:JobSpec
PodFailurePolicy rules!:PodFailurePolicyRule[]
PodFailurePolicyOnExitCodesRequirement containerName? operator! values!:int[]
PodFailurePolicyOnPodConditionsPattern type! status!
PodFailurePolicyRule action! onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:PodFailurePolicyOnPodConditionsPattern[]
SuccessPolicy rules!:SuccessPolicyRule[]
SuccessPolicyRule succeededIndexes? succeededCount?:int
UncountedTerminatedPods succeeded:[] failed:[]
# certificates.k8s.io/v1
+CertificateSigningRequest metadata!:ObjectMeta spec!:CertificateSigningRequestSpec status!:CertificateSigningRequestStatus
CertificateSigningRequestCondition type! reason message lastUpdateTime!:time lastTransitionTime!:time status!
CertificateSigningRequestSpec request!:bytes username uid groups:[] usages:[] extra:stringList{} signerName! expirationSeconds?:int
CertificateSigningRequestStatus conditions:CertificateSigningRequestCondition[] certificate:bytes
# coordination.k8s.io/v1
+Lease metadata!:ObjectMeta spec!:LeaseSpec
LeaseSpec holderIdentity? leaseDurationSeconds?:int acquireTime:microTime renewTime:microTime leaseTransitions?:int strategy? preferredHolder?
# discovery.k8s.io/v1
Endpoint addresses!:[] conditions!:EndpointConditions hostname? targetRef:ObjectReference deprecatedTopology:{} nodeName? zone? hints:EndpointHints
EndpointConditions ready?:bool serving?:bool terminating?:bool
EndpointHints forZones:ForZone[] forNodes:ForNode[]
EndpointPort name? protocol? port?:int appProtocol?
+EndpointSlice metadata!:ObjectMeta endpoints!:Endpoint[] ports!:EndpointPort[] addressType!
ForNode name!
ForZone name!
# events.k8s.io/v1
+Event metadata!:ObjectMeta eventTime!:microTime series:EventSeries reportingController reportingInstance action reason regarding!:ObjectReference related:ObjectReference note type deprecatedSource!:EventSource deprecatedFirstTimestamp!:time deprecatedLastTimestamp!:time deprecatedCount:int
EventSeries count!:int lastObservedTime!:microTime
# flowcontrol.apiserver.k8s.io/v1
ExemptPriorityLevelConfiguration nominalConcurrencyShares?:int lendablePercent?:int
FlowDistinguisherMethod type!
+FlowSchema metadata!:ObjectMeta spec!:FlowSchemaSpec status!:FlowSchemaStatus
FlowSchemaCondition type status lastTransitionTime!:time reason message
FlowSchemaSpec priorityLevelConfiguration!:PriorityLevelConfigurationReference matchingPrecedence!:int distinguisherMethod:FlowDistinguisherMethod rules:PolicyRulesWithSubjects[]
FlowSchemaStatus conditions:FlowSchemaCondition[]
GroupSubject name!
LimitResponse type! queuing:QueuingConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares?!:int limitResponse!:LimitResponse lendablePercent?:int borrowingLimitPercent?:int
NonResourcePolicyRule verbs!:[] 6nonResourceURLs!:[]
PolicyRulesWithSubjects subjects!:Subject[] resourceRules:ResourcePolicyRule[] nonResourceRules:NonResourcePolicyRule[]
+PriorityLevelConfiguration metadata!:ObjectMeta spec!:PriorityLevelConfigurationSpec status!:PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type status lastTransitionTime!:time reason message
PriorityLevelConfigurationReference name!
PriorityLevelConfigurationSpec type! limited:LimitedPriorityLevelConfiguration exempt:ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus conditions:PriorityLevelConfigurationCondition[]
QueuingConfiguration queues!:int handSize!:int queueLengthLimit!:int
ResourcePolicyRule verbs!:[] apiGroups!:[] resources!:[] clusterScope:bool namespaces!:[]
ServiceAccountSubject namespace! name!
Subject kind! user:UserSubject group:GroupSubject serviceAccount:ServiceAccountSubject
UserSubject name!
# metrics.k8s.io/v1beta1
ContainerMetrics name! usage!:quantity{}
+NodeMetrics metadata!:ObjectMeta timestamp!:time window!:duration usage!:quantity{}
+PodMetrics metadata!:ObjectMeta timestamp!:time window!:duration containers!:ContainerMetrics[]
# networking.k8s.io/v1
HTTPIngressPath path backend!:IngressBackend pathType?!
HTTPIngressRuleValue paths!:HTTPIngressPath[]
+IPAddress metadata!:ObjectMeta spec!:IPAddressSpec
IPAddressSpec parentRef:ParentReference
IPBlock cidr! except:[]
+Ingress metadata!:ObjectMeta spec!:IngressSpec status!:IngressStatus
IngressBackend 3resource:TypedLocalObjectReference service:IngressServiceBackend
+IngressClass metadata!:ObjectMeta spec!:IngressClassSpec
IngressClassParametersReference apiGroup? kind! name! scope?! namespace?
IngressClassSpec controller parameters:IngressClassParametersReference
IngressLoadBalancerIngress ip hostname 4ports:IngressPortStatus[]
IngressLoadBalancerStatus ingress:IngressLoadBalancerIngress[]
IngressPortStatus port!:int protocol! error?
IngressRule host *:IngressRuleValue
IngressRuleValue http:HTTPIngressRuleValue
IngressServiceBackend name! port!:ServiceBackendPort
IngressSpec defaultBackend:IngressBackend tls:IngressTLS[] rules:IngressRule[] ingressClassName?
IngressStatus loadBalancer!:IngressLoadBalancerStatus
IngressTLS hosts:[] secretName
+NetworkPolicy metadata!:ObjectMeta spec!:NetworkPolicySpec
NetworkPolicyEgressRule ports:NetworkPolicyPort[] to:NetworkPolicyPeer[]
NetworkPolicyIngressRule ports:NetworkPolicyPort[] from:NetworkPolicyPeer[]
NetworkPolicyPeer podSelector:LabelSelector namespaceSelector:LabelSelector ipBlock:IPBlock
NetworkPolicyPort protocol? port:intOrString endPort?:int
NetworkPolicySpec podSelector!:LabelSelector ingress:NetworkPolicyIngressRule[] egress:NetworkPolicyEgressRule[] policyTypes:[]
ParentReference group resource namespace name
ServiceBackendPort name number:int
+ServiceCIDR metadata!:ObjectMeta spec!:ServiceCIDRSpec status!:ServiceCIDRStatus
ServiceCIDRSpec cidrs:[]
ServiceCIDRStatus conditions:Condition[]
# node.k8s.io/v1
Overhead podFixed:quantity{}
+RuntimeClass metadata!:ObjectMeta handler! overhead:Overhead scheduling:Scheduling
Scheduling nodeSelector:{} tolerations:Toleration[]
# policy/v1
+Eviction metadata!:ObjectMeta deleteOptions:DeleteOptions
+PodDisruptionBudget metadata!:ObjectMeta spec!:PodDisruptionBudgetSpec status!:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable:intOrString selector:LabelSelector maxUnavailable:intOrString unhealthyPodEvictionPolicy?
PodDisruptionBudgetStatus observedGeneration:int disruptedPods:time{} disruptionsAllowed!:int currentHealthy!:int desiredHealthy!:int expectedPods!:int conditions:Condition[]
# rbac.authorization.k8s.io/v1
AggregationRule clusterRoleSelectors:LabelSelector[]
+ClusterRole metadata!:ObjectMeta rules!:PolicyRule[] aggregationRule:AggregationRule
+ClusterRoleBinding metadata!:ObjectMeta subjects:Subject[] roleRef!:RoleRef
PolicyRule verbs!:[] apiGroups:[] resources:[] resourceNames:[] nonResourceURLs:[]
+Role metadata!:ObjectMeta rules!:PolicyRule[]
+RoleBinding metadata!:ObjectMeta subjects:Subject[] roleRef!:RoleRef
RoleRef apiGroup! kind! name!
Subject kind! apiGroup name! namespace
# resource.k8s.io/v1
AllocatedDeviceStatus driver! pool! device! conditions!:Condition[] data:raw networkData:NetworkDeviceData shareID?
AllocationResult devices!:DeviceAllocationResult 3nodeSelector:NodeSelector 5allocationTimestamp:time
CELDeviceSelector expression!
CapacityRequestPolicy default?!:quantity 3validValues:quantity[] validRange:CapacityRequestPolicyRange
CapacityRequestPolicyRange min:quantity max:quantity step:quantity
CapacityRequirements requests:quantity{}
Counter value!:quantity
CounterSet name! counters:Counter{}
Device name! attributes:DeviceAttribute{} capacity:DeviceCapacity{} consumesCounters:DeviceCounterConsumption[] nodeName? nodeSelector:NodeSelector allNodes?:bool taints:DeviceTaint[] bindsToNode?:bool bindingConditions:[] bindingFailureConditions:[] allowMultipleAllocations?:bool nodeAllocatableResourceMappings:NodeAllocatableResourceMapping{}
DeviceAllocationConfiguration source! requests:[] *:DeviceConfiguration
DeviceAllocationResult results:DeviceRequestAllocationResult[] config:DeviceAllocationConfiguration[]
DeviceAttribute 2int?:int bool?:bool string? version? ints:int[] bools:bool[] strings:[] versions:[]
DeviceCapacity value!:quantity requestPolicy:CapacityRequestPolicy
DeviceClaim requests!:DeviceRequest[] constraints:DeviceConstraint[] config:DeviceClaimConfiguration[]
DeviceClaimConfiguration requests:[] *:DeviceConfiguration
+DeviceClass metadata!:ObjectMeta spec!:DeviceClassSpec
DeviceClassConfiguration *:DeviceConfiguration
DeviceClassSpec selectors:DeviceSelector[] config:DeviceClassConfiguration[] 4extendedResourceName?
DeviceConfiguration opaque:OpaqueDeviceConfiguration
DeviceConstraint requests:[] matchAttribute? distinctAttribute?
DeviceCounterConsumption counterSet! counters:Counter{}
DeviceRequest name! exactly:ExactDeviceRequest firstAvailable:DeviceSubRequest[]
DeviceRequestAllocationResult request! driver! pool! device! adminAccess?:bool tolerations:DeviceToleration[] bindingConditions:[] bindingFailureConditions:[] shareID? consumedCapacity:quantity{}
DeviceSelector cel:CELDeviceSelector
DeviceSubRequest name! deviceClassName! selectors:DeviceSelector[] allocationMode count:int tolerations:DeviceToleration[] capacity:CapacityRequirements
DeviceTaint key! value effect! timeAdded:time
DeviceToleration key operator value effect tolerationSeconds?:int
ExactDeviceRequest deviceClassName! selectors:DeviceSelector[] allocationMode count:int adminAccess?:bool tolerations:DeviceToleration[] capacity:CapacityRequirements
NetworkDeviceData interfaceName ips:[] hardwareAddress
NodeAllocatableResourceMapping capacityKey? allocationMultiplier:quantity
OpaqueDeviceConfiguration driver! parameters!:raw
+ResourceClaim metadata!:ObjectMeta spec!:ResourceClaimSpec status!:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup 3resource! name! uid!
ResourceClaimSpec devices!:DeviceClaim
ResourceClaimStatus allocation:AllocationResult reservedFor:ResourceClaimConsumerReference[] 4devices:AllocatedDeviceStatus[]
+ResourceClaimTemplate metadata!:ObjectMeta spec!:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata!:ObjectMeta spec!:ResourceClaimSpec
ResourcePool name! generation!:int resourceSliceCount!:int
+ResourceSlice metadata!:ObjectMeta spec!:ResourceSliceSpec
ResourceSliceSpec driver! pool!:ResourcePool nodeName? nodeSelector:NodeSelector allNodes?:bool devices:Device[] perDeviceNodeSelection?:bool sharedCounters:CounterSet[]
# scheduling.k8s.io/v1
+PriorityClass metadata!:ObjectMeta value!:int globalDefault:bool description preemptionPolicy?
# storage.k8s.io/v1
+CSIDriver metadata!:ObjectMeta spec!:CSIDriverSpec
CSIDriverSpec attachRequired?:bool podInfoOnMount?:bool volumeLifecycleModes:[] storageCapacity?:bool fsGroupPolicy? tokenRequests:TokenRequest[] requiresRepublish?:bool seLinuxMount?:bool nodeAllocatableUpdatePeriodSeconds?:int serviceAccountTokenInSecrets?:bool preventPodSchedulingIfMissing?:bool
+CSINode metadata!:ObjectMeta spec!:CSINodeSpec
CSINodeDriver name! nodeID! topologyKeys!:[] allocatable:VolumeNodeResources
CSINodeSpec drivers!:CSINodeDriver[]
+CSIStorageCapacity metadata!:ObjectMeta nodeTopology:LabelSelector storageClassName! capacity:quantity maximumVolumeSize:quantity
+StorageClass metadata!:ObjectMeta provisioner! parameters:{} reclaimPolicy? mountOptions:[] allowVolumeExpansion?:bool volumeBindingMode? allowedTopologies:TopologySelectorTerm[]
TokenRequest audience! expirationSeconds?:int
+VolumeAttachment metadata!:ObjectMeta spec!:VolumeAttachmentSpec status!:VolumeAttachmentStatus
VolumeAttachmentSource persistentVolumeName? inlineVolumeSpec:PersistentVolumeSpec
VolumeAttachmentSpec attacher! source!:VolumeAttachmentSource nodeName!
VolumeAttachmentStatus attached!:bool attachmentMetadata:{} attachError:VolumeError detachError:VolumeError
+VolumeAttributesClass metadata!:ObjectMeta driverName! parameters:{}
VolumeError time!:time message errorCode?:int
VolumeNodeResources count?:int
`;
