/** The types of the alpha and beta versions of v1.36 and of discovery, in the notation of `parseTypes`. */
export const previewTypes = `
# admissionregistration.k8s.io/v1beta1
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
MutatingWebhook name! clientConfig!:WebhookClientConfig rules:admissionregistration.k8s.io/v1.RuleWithOperations[] failurePolicy? namespaceSelector:LabelSelector sideEffects? timeoutSeconds?:int admissionReviewVersions:[] matchPolicy? reinvocationPolicy? objectSelector:LabelSelector matchConditions:MatchCondition[]
+MutatingWebhookConfiguration metadata!:ObjectMeta webhooks:MutatingWebhook[]
Mutation 2patchType! applyConfiguration:ApplyConfiguration jsonPatch:JSONPatch
NamedRuleWithOperations resourceNames:[] *:admissionregistration.k8s.io/v1.RuleWithOperations
ParamKind apiVersion kind
ParamRef name namespace selector:LabelSelector parameterNotFoundAction?
ServiceReference namespace! name! path? port?:int
TypeChecking expressionWarnings:ExpressionWarning[]
+ValidatingAdmissionPolicy metadata!:ObjectMeta spec!:ValidatingAdmissionPolicySpec status!:ValidatingAdmissionPolicyStatus
+ValidatingAdmissionPolicyBinding metadata!:ObjectMeta spec!:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName paramRef:ParamRef matchResources:MatchResources validationActions:[]
ValidatingAdmissionPolicySpec paramKind:ParamKind matchConstraints:MatchResources validations:Validation[] failurePolicy? auditAnnotations:AuditAnnotation[] matchConditions:MatchCondition[] variables:Variable[]
ValidatingAdmissionPolicyStatus observedGeneration:int typeChecking:TypeChecking conditions:Condition[]
ValidatingWebhook name! clientConfig!:WebhookClientConfig rules:admissionregistration.k8s.io/v1.RuleWithOperations[] failurePolicy? namespaceSelector:LabelSelector sideEffects? timeoutSeconds?:int admissionReviewVersions:[] matchPolicy? objectSelector:LabelSelector matchConditions:MatchCondition[]
+ValidatingWebhookConfiguration metadata!:ObjectMeta webhooks:ValidatingWebhook[]
Validation expression! message reason? messageExpression
Variable name! expression!
WebhookClientConfig service:ServiceReference caBundle:bytes url?
# admissionregistration.k8s.io/v1alpha1
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
Mutation 2patchType! applyConfiguration:ApplyConfiguration jsonPatch:JSONPatch
NamedRuleWithOperations resourceNames:[] *:admissionregistration.k8s.io/v1.RuleWithOperations
ParamKind apiVersion kind
ParamRef name namespace selector:LabelSelector parameterNotFoundAction?
TypeChecking expressionWarnings:ExpressionWarning[]
+ValidatingAdmissionPolicy metadata!:ObjectMeta spec!:ValidatingAdmissionPolicySpec status!:ValidatingAdmissionPolicyStatus
+ValidatingAdmissionPolicyBinding metadata!:ObjectMeta spec!:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName paramRef:ParamRef matchResources:MatchResources validationActions:[]
ValidatingAdmissionPolicySpec paramKind:ParamKind matchConstraints:MatchResources validations:Validation[] failurePolicy? auditAnnotations:AuditAnnotation[] matchConditions:MatchCondition[] variables:Variable[]
ValidatingAdmissionPolicyStatus observedGeneration:int typeChecking:TypeChecking conditions:Condition[]
Validation expression! message reason? messageExpression
Variable name! expression!
# apidiscovery.k8s.io/v2
+APIGroupDiscovery metadata!:ObjectMeta versions:APIVersionDiscovery[]
APIResourceDiscovery resource! responseKind:GroupVersionKind scope! singularResource! verbs!:[] shortNames:[] categories:[] subresources:APISubresourceDiscovery[]
APISubresourceDiscovery subresource! responseKind:GroupVersionKind acceptedTypes:GroupVersionKind[] verbs!:[]
APIVersionDiscovery version! resources:APIResourceDiscovery[] freshness
# apidiscovery.k8s.io/v2beta1
+APIGroupDiscovery metadata!:ObjectMeta versions:APIVersionDiscovery[]
APIResourceDiscovery resource! responseKind:GroupVersionKind scope! singularResource! verbs!:[] shortNames:[] categories:[] subresources:APISubresourceDiscovery[]
APISubresourceDiscovery subresource! responseKind:GroupVersionKind acceptedTypes:GroupVersionKind[] verbs!:[]
APIVersionDiscovery version! resources:APIResourceDiscovery[] freshness
# authentication.k8s.io/v1beta1
+SelfSubjectReview metadata!:ObjectMeta status!:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo!:authentication.k8s.io/v1.UserInfo
+TokenReview metadata!:ObjectMeta spec!:TokenReviewSpec status!:TokenReviewStatus
TokenReviewSpec token audiences:[]
TokenReviewStatus authenticated:bool user!:UserInfo error audiences:[]
UserInfo username uid groups:[] extra:stringList{}
# authentication.k8s.io/v1alpha1
+SelfSubjectReview metadata!:ObjectMeta status!:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo!:authentication.k8s.io/v1.UserInfo
# certificates.k8s.io/v1beta1
+CertificateSigningRequest metadata!:ObjectMeta spec!:CertificateSigningRequestSpec status!:CertificateSigningRequestStatus
CertificateSigningRequestCondition type! reason message lastUpdateTime!:time lastTransitionTime!:time status!
CertificateSigningRequestSpec request!:bytes username uid groups:[] usages:[] extra:stringList{} signerName? expirationSeconds?:int
CertificateSigningRequestStatus conditions:CertificateSigningRequestCondition[] certificate:bytes
+ClusterTrustBundle metadata!:ObjectMeta spec!:ClusterTrustBundleSpec
ClusterTrustBundleSpec signerName trustBundle!
+PodCertificateRequest metadata!:ObjectMeta spec!:PodCertificateRequestSpec status!:PodCertificateRequestStatus
PodCertificateRequestSpec signerName! podName! podUID! serviceAccountName! serviceAccountUID! nodeName! nodeUID! maxExpirationSeconds?:int pkixPublicKey!:bytes proofOfPossession!:bytes unverifiedUserAnnotations:{} stubPKCS10Request!:bytes
PodCertificateRequestStatus conditions:Condition[] certificateChain 4notBefore:time beginRefreshAt:time notAfter:time
# certificates.k8s.io/v1alpha1
+ClusterTrustBundle metadata!:ObjectMeta spec!:ClusterTrustBundleSpec
ClusterTrustBundleSpec signerName trustBundle!
# coordination.k8s.io/v1beta1
+Lease metadata!:ObjectMeta spec!:LeaseSpec
+LeaseCandidate metadata!:ObjectMeta spec!:LeaseCandidateSpec
LeaseCandidateSpec leaseName! pingTime:microTime renewTime:microTime binaryVersion! emulationVersion strategy
LeaseSpec holderIdentity? leaseDurationSeconds?:int acquireTime:microTime renewTime:microTime leaseTransitions?:int strategy? preferredHolder?
# coordination.k8s.io/v1alpha2
+LeaseCandidate metadata!:ObjectMeta spec!:LeaseCandidateSpec
LeaseCandidateSpec leaseName! pingTime:microTime renewTime:microTime binaryVersion! emulationVersion strategy
# internal.apiserver.k8s.io/v1alpha1
ServerStorageVersion apiServerID encodingVersion decodableVersions:[] servedVersions:[]
+StorageVersion metadata!:ObjectMeta spec!:StorageVersionSpec status!:StorageVersionStatus
StorageVersionCondition type! status! observedGeneration:int lastTransitionTime!:time reason! message
StorageVersionSpec
StorageVersionStatus storageVersions:ServerStorageVersion[] commonEncodingVersion? conditions:StorageVersionCondition[]
# meta.k8s.io/v1beta1
+PartialObjectMetadataList items!:PartialObjectMetadata[] metadata!:ListMeta
# networking.k8s.io/v1beta1
HTTPIngressPath path backend!:IngressBackend pathType?
HTTPIngressRuleValue paths!:HTTPIngressPath[]
+IPAddress metadata!:ObjectMeta spec!:IPAddressSpec
IPAddressSpec parentRef:ParentReference
+Ingress metadata!:ObjectMeta spec!:IngressSpec status!:IngressStatus
IngressBackend serviceName servicePort!:intOrString resource:TypedLocalObjectReference
+IngressClass metadata!:ObjectMeta spec!:IngressClassSpec
IngressClassParametersReference apiGroup? kind! name! scope?! namespace?
IngressClassSpec controller parameters:IngressClassParametersReference
IngressLoadBalancerIngress ip hostname 4ports:IngressPortStatus[]
IngressLoadBalancerStatus ingress:IngressLoadBalancerIngress[]
IngressPortStatus port!:int protocol! error?
IngressRule host *:IngressRuleValue
IngressRuleValue http:HTTPIngressRuleValue
IngressSpec backend:IngressBackend tls:IngressTLS[] rules:IngressRule[] ingressClassName?
IngressStatus loadBalancer!:IngressLoadBalancerStatus
IngressTLS hosts:[] secretName
ParentReference group resource namespace name
+ServiceCIDR metadata!:ObjectMeta spec!:ServiceCIDRSpec status!:ServiceCIDRStatus
ServiceCIDRSpec cidrs:[]
ServiceCIDRStatus conditions:Condition[]
# resource.k8s.io/v1beta2
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
+DeviceTaintRule metadata!:ObjectMeta spec!:DeviceTaintRuleSpec status!:DeviceTaintRuleStatus
DeviceTaintRuleSpec deviceSelector:DeviceTaintSelector taint!:DeviceTaint
DeviceTaintRuleStatus conditions:Condition[]
DeviceTaintSelector 2driver? pool? device?
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
# resource.k8s.io/v1beta1
AllocatedDeviceStatus driver! pool! device! conditions!:Condition[] data:raw networkData:NetworkDeviceData shareID?
AllocationResult devices!:DeviceAllocationResult 3nodeSelector:NodeSelector 5allocationTimestamp:time
BasicDevice attributes:DeviceAttribute{} capacity:DeviceCapacity{} consumesCounters:DeviceCounterConsumption[] nodeName? nodeSelector:NodeSelector allNodes?:bool taints:DeviceTaint[] bindsToNode?:bool bindingConditions:[] bindingFailureConditions:[] allowMultipleAllocations?:bool nodeAllocatableResourceMappings:NodeAllocatableResourceMapping{}
CELDeviceSelector expression!
CapacityRequestPolicy default?!:quantity 3validValues:quantity[] validRange:CapacityRequestPolicyRange
CapacityRequestPolicyRange min:quantity max:quantity step:quantity
CapacityRequirements requests:quantity{}
Counter value!:quantity
CounterSet name! counters:Counter{}
Device name! basic:BasicDevice
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
DeviceRequest name! deviceClassName! selectors:DeviceSelector[] allocationMode count:int adminAccess?:bool firstAvailable:DeviceSubRequest[] tolerations:DeviceToleration[] capacity:CapacityRequirements
DeviceRequestAllocationResult request! driver! pool! device! adminAccess?:bool tolerations:DeviceToleration[] bindingConditions:[] bindingFailureConditions:[] shareID? consumedCapacity:quantity{}
DeviceSelector cel:CELDeviceSelector
DeviceSubRequest name! deviceClassName! selectors:DeviceSelector[] allocationMode count:int 7tolerations:DeviceToleration[] capacity:CapacityRequirements
DeviceTaint key! value effect! timeAdded:time
DeviceToleration key operator value effect tolerationSeconds?:int
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
ResourceSliceSpec driver! pool!:ResourcePool nodeName nodeSelector:NodeSelector allNodes:bool devices:Device[] perDeviceNodeSelection?:bool sharedCounters:CounterSet[]
# resource.k8s.io/v1alpha3
CELDeviceSelector expression!
DeviceSelector cel:CELDeviceSelector
DeviceTaint key! value effect! timeAdded:time
+DeviceTaintRule metadata!:ObjectMeta spec!:DeviceTaintRuleSpec status!:DeviceTaintRuleStatus
DeviceTaintRuleSpec deviceSelector:DeviceTaintSelector taint!:DeviceTaint
DeviceTaintRuleStatus conditions:Condition[]
DeviceTaintSelector 2driver? pool? device?
PoolStatus driver poolName nodeName? totalDevices?:int allocatedDevices?:int availableDevices?:int unavailableDevices?:int resourceSliceCount?:int generation!:int validationError?
+ResourcePoolStatusRequest metadata!:ObjectMeta spec!:ResourcePoolStatusRequestSpec status:ResourcePoolStatusRequestStatus
ResourcePoolStatusRequestSpec driver! poolName? limit?:int
ResourcePoolStatusRequestStatus 2pools:PoolStatus[] conditions:Condition[] 6poolCount?:int
# scheduling.k8s.io/v1alpha2
BasicSchedulingPolicy
GangSchedulingPolicy minCount!:int
+PodGroup metadata!:ObjectMeta spec!:PodGroupSpec status!:PodGroupStatus
PodGroupResourceClaim name! resourceClaimName? resourceClaimTemplateName?
PodGroupResourceClaimStatus name! resourceClaimName?
PodGroupSchedulingConstraints topology:TopologyConstraint[]
PodGroupSchedulingPolicy basic:BasicSchedulingPolicy gang:GangSchedulingPolicy
PodGroupSpec podGroupTemplateRef?!:PodGroupTemplateReference schedulingPolicy!:PodGroupSchedulingPolicy schedulingConstraints:PodGroupSchedulingConstraints resourceClaims:PodGroupResourceClaim[] disruptionMode? priorityClassName priority?:int
PodGroupStatus conditions:Condition[] resourceClaimStatuses:PodGroupResourceClaimStatus[]
PodGroupTemplate name! schedulingPolicy!:PodGroupSchedulingPolicy schedulingConstraints?!:PodGroupSchedulingConstraints resourceClaims:PodGroupResourceClaim[] disruptionMode? priorityClassName priority?:int
PodGroupTemplateReference workload?!:WorkloadPodGroupTemplateReference
TopologyConstraint key!
TypedLocalObjectReference apiGroup kind! name!
+Workload metadata!:ObjectMeta spec!:WorkloadSpec
WorkloadPodGroupTemplateReference workloadName! podGroupTemplateName!
WorkloadSpec controllerRef:TypedLocalObjectReference podGroupTemplates!:PodGroupTemplate[]
# storage.k8s.io/v1beta1
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
# storage.k8s.io/v1alpha1
+CSIStorageCapacity metadata!:ObjectMeta nodeTopology:LabelSelector storageClassName! capacity:quantity maximumVolumeSize:quantity
+VolumeAttachment metadata!:ObjectMeta spec!:VolumeAttachmentSpec status!:VolumeAttachmentStatus
VolumeAttachmentSource persistentVolumeName? inlineVolumeSpec:PersistentVolumeSpec
VolumeAttachmentSpec attacher! source!:VolumeAttachmentSource nodeName!
VolumeAttachmentStatus attached!:bool attachmentMetadata:{} attachError:VolumeError detachError:VolumeError
+VolumeAttributesClass metadata!:ObjectMeta driverName! parameters:{}
VolumeError time!:time message errorCode?:int
# storagemigration.k8s.io/v1beta1
+StorageVersionMigration metadata!:ObjectMeta spec!:StorageVersionMigrationSpec status!:StorageVersionMigrationStatus
StorageVersionMigrationSpec resource!:GroupResource
StorageVersionMigrationStatus conditions:Condition[] resourceVersion
`;
