/** The types of `meta.k8s.io/v1` and of the core group in v1.36, in the notation of `parseTypes`. */
export const coreTypes = `
# meta.k8s.io/v1
+APIGroup name! versions!:GroupVersionForDiscovery[] preferredVersion!:GroupVersionForDiscovery serverAddressByClientCIDRs:ServerAddressByClientCIDR[]
+APIGroupList groups!:APIGroup[]
APIResource name! namespaced!:bool kind! verbs!:stringList shortNames:[] singularName! categories:[] group version storageVersionHash
+APIResourceList groupVersion! resources!:APIResource[]
+APIVersions versions!:[] serverAddressByClientCIDRs!:ServerAddressByClientCIDR[]
+ApplyOptions dryRun:[] force!:bool fieldManager!
Condition type! status! observedGeneration:int lastTransitionTime!:time reason! message!
+CreateOptions dryRun:[] 3fieldManager fieldValidation
+DeleteOptions gracePeriodSeconds?:int preconditions:Preconditions orphanDependents?:bool propagationPolicy? dryRun:[] ignoreStoreReadErrorWithClusterBreakingPotential?:bool
FieldSelectorRequirement key! operator! values:[]
+GetOptions resourceVersion
GroupKind group! kind!
GroupResource group! resource!
GroupVersion group! version!
GroupVersionForDiscovery groupVersion! version!
GroupVersionKind group! version! kind!
GroupVersionResource group! version! resource!
LabelSelector matchLabels:{} matchExpressions:LabelSelectorRequirement[]
LabelSelectorRequirement key! operator! values:[]
+List metadata!:ListMeta items!:raw[]
ListMeta selfLink resourceVersion continue remainingItemCount?:int shardInfo:ShardInfo
+ListOptions labelSelector fieldSelector watch:bool resourceVersion timeoutSeconds?:int 7limit:int continue allowWatchBookmarks:bool resourceVersionMatch sendInitialEvents?:bool 15shardSelector
ManagedFieldsEntry manager operation apiVersion time:time 6fieldsType fieldsV1:fieldsV1 subresource
ObjectMeta name generateName namespace selfLink uid resourceVersion generation:int creationTimestamp:time deletionTimestamp:time deletionGracePeriodSeconds?:int labels:{} annotations:{} ownerReferences:OwnerReference[] finalizers:[] 17managedFields:ManagedFieldsEntry[]
OwnerReference kind! 3name! uid! apiVersion! controller?:bool blockOwnerDeletion?:bool
+PartialObjectMetadata metadata!:ObjectMeta
Patch
+PatchOptions dryRun:[] force?:bool fieldManager fieldValidation
Preconditions uid? resourceVersion?
RootPaths paths!:[]
ServerAddressByClientCIDR clientCIDR! serverAddress!
ShardInfo selector!
+Status metadata!:ListMeta status message reason details:StatusDetails code:int
StatusCause reason message field
StatusDetails name group kind causes:StatusCause[] retryAfterSeconds:int uid
+TableOptions includeObject
TypeMeta kind apiVersion
+UpdateOptions dryRun:[] fieldManager fieldValidation
WatchEvent type! object!:raw
# v1
AWSElasticBlockStoreVolumeSource volumeID! fsType partition:int readOnly:bool
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile type! localhostProfile?
AttachedVolume name! devicePath!
AvoidPods preferAvoidPods:PreferAvoidPodsEntry[]
AzureDiskVolumeSource diskName! diskURI! cachingMode? fsType? readOnly?:bool kind?
AzureFilePersistentVolumeSource secretName! shareName! readOnly:bool secretNamespace?!
AzureFileVolumeSource secretName! shareName! readOnly:bool
+Binding metadata!:ObjectMeta target!:ObjectReference
CSIPersistentVolumeSource driver! volumeHandle! readOnly:bool fsType volumeAttributes:{} controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference nodePublishSecretRef:SecretReference controllerExpandSecretRef:SecretReference nodeExpandSecretRef:SecretReference
CSIVolumeSource driver! readOnly?:bool fsType? volumeAttributes:{} nodePublishSecretRef:LocalObjectReference
Capabilities add:[] drop:[]
CephFSPersistentVolumeSource monitors!:[] path user secretFile secretRef:SecretReference readOnly:bool
CephFSVolumeSource monitors!:[] path user secretFile secretRef:LocalObjectReference readOnly:bool
CinderPersistentVolumeSource volumeID! fsType readOnly:bool secretRef:SecretReference
CinderVolumeSource volumeID! fsType readOnly:bool secretRef:LocalObjectReference
ClientIPConfig timeoutSeconds?:int
ClusterTrustBundleProjection name? signerName? labelSelector:LabelSelector path! optional?:bool
ComponentCondition type! status! message error
+ComponentStatus metadata!:ObjectMeta conditions:ComponentCondition[]
+ConfigMap metadata!:ObjectMeta data:{} binaryData:bytes{} immutable?:bool
ConfigMapEnvSource *:LocalObjectReference optional?:bool
ConfigMapKeySelector *:LocalObjectReference key! optional?:bool
ConfigMapNodeConfigSource namespace! name! uid resourceVersion kubeletConfigKey!
ConfigMapProjection *:LocalObjectReference items:KeyToPath[] 4optional?:bool
ConfigMapVolumeSource *:LocalObjectReference items:KeyToPath[] defaultMode?:int optional?:bool
Container name! image command:[] args:[] workingDir ports:ContainerPort[] env:EnvVar[] resources!:ResourceRequirements volumeMounts:VolumeMount[] livenessProbe:Probe readinessProbe:Probe lifecycle:Lifecycle terminationMessagePath imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool tty:bool envFrom:EnvFromSource[] terminationMessagePolicy volumeDevices:VolumeDevice[] startupProbe:Probe resizePolicy:ContainerResizePolicy[] restartPolicy? restartPolicyRules:ContainerRestartRule[]
ContainerExtendedResourceRequest containerName! resourceName! requestName!
ContainerImage names!:[] sizeBytes:int
ContainerPort name hostPort:int containerPort!:int protocol hostIP
ContainerResizePolicy resourceName! restartPolicy!
ContainerRestartRule action exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator values:int[]
ContainerState waiting:ContainerStateWaiting running:ContainerStateRunning terminated:ContainerStateTerminated
ContainerStateRunning startedAt!:time
ContainerStateTerminated exitCode!:int signal:int reason message startedAt!:time finishedAt!:time containerID
ContainerStateWaiting reason message
ContainerStatus name! state!:ContainerState lastState!:ContainerState ready!:bool restartCount!:int image! imageID! containerID started?:bool allocatedResources:quantity{} resources:ResourceRequirements volumeMounts:VolumeMountStatus[] user:ContainerUser allocatedResourcesStatus:ResourceStatus[] stopSignal?
ContainerUser linux:LinuxContainerUser
DaemonEndpoint Port!:int
DownwardAPIProjection items:DownwardAPIVolumeFile[]
DownwardAPIVolumeFile path! fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode?:int
DownwardAPIVolumeSource items:DownwardAPIVolumeFile[] defaultMode?:int
EmptyDirVolumeSource medium sizeLimit:quantity
EndpointAddress ip! targetRef:ObjectReference hostname nodeName?
EndpointPort name port!:int protocol appProtocol?
EndpointSubset addresses:EndpointAddress[] notReadyAddresses:EndpointAddress[] ports:EndpointPort[]
+Endpoints metadata!:ObjectMeta subsets:EndpointSubset[]
EnvFromSource prefix configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
EnvVar name! value valueFrom:EnvVarSource
EnvVarSource fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector configMapKeyRef:ConfigMapKeySelector secretKeyRef:SecretKeySelector fileKeyRef:FileKeySelector
EphemeralContainer *:EphemeralContainerCommon targetContainerName
EphemeralContainerCommon name! image command:[] args:[] workingDir ports:ContainerPort[] env:EnvVar[] resources!:ResourceRequirements volumeMounts:VolumeMount[] livenessProbe:Probe readinessProbe:Probe lifecycle:Lifecycle terminationMessagePath imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool tty:bool envFrom:EnvFromSource[] terminationMessagePolicy volumeDevices:VolumeDevice[] startupProbe:Probe resizePolicy:ContainerResizePolicy[] restartPolicy? restartPolicyRules:ContainerRestartRule[]
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
+Event metadata!:ObjectMeta involvedObject!:ObjectReference reason message source!:EventSource firstTimestamp!:time lastTimestamp!:time count:int type eventTime!:microTime series:EventSeries action related:ObjectReference reportingComponent! reportingInstance!
EventSeries count:int lastObservedTime!:microTime
EventSource component host
ExecAction command:[]
FCVolumeSource targetWWNs:[] lun?:int fsType readOnly:bool wwids:[]
FileKeySelector volumeName! path! key! optional?:bool
FlexPersistentVolumeSource driver! fsType secretRef:SecretReference readOnly:bool options:{}
FlexVolumeSource driver! fsType secretRef:LocalObjectReference readOnly:bool options:{}
FlockerVolumeSource datasetName datasetUUID
GCEPersistentDiskVolumeSource pdName! fsType partition:int readOnly:bool
GRPCAction port!:int service?!
GitRepoVolumeSource repository! revision directory
GlusterfsPersistentVolumeSource endpoints! path! readOnly:bool endpointsNamespace?
GlusterfsVolumeSource endpoints! path! readOnly:bool
HTTPGetAction path port!:intOrString host scheme httpHeaders:HTTPHeader[]
HTTPHeader name! value!
HostAlias ip! hostnames:[]
HostIP ip!
HostPathVolumeSource path! type?
ISCSIPersistentVolumeSource targetPortal! iqn! lun!:int iscsiInterface fsType readOnly:bool portals:[] chapAuthDiscovery:bool 10secretRef:SecretReference chapAuthSession:bool initiatorName?
ISCSIVolumeSource targetPortal! iqn! lun!:int iscsiInterface fsType readOnly:bool portals:[] chapAuthDiscovery:bool 10secretRef:LocalObjectReference chapAuthSession:bool initiatorName?
ImageVolumeSource reference pullPolicy
ImageVolumeStatus imageRef
KeyToPath key! path! mode?:int
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal?
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
+LimitRange metadata!:ObjectMeta spec!:LimitRangeSpec
LimitRangeItem type! max:quantity{} min:quantity{} default:quantity{} defaultRequest:quantity{} maxLimitRequestRatio:quantity{}
LimitRangeSpec limits!:LimitRangeItem[]
LinuxContainerUser uid!:int gid!:int supplementalGroups:int[]
+List metadata!:ListMeta items!:raw[]
LoadBalancerIngress ip hostname ipMode? ports:PortStatus[]
LoadBalancerStatus ingress:LoadBalancerIngress[]
LocalObjectReference name
LocalVolumeSource path! fsType?
ModifyVolumeStatus targetVolumeAttributesClassName status!
NFSVolumeSource server! path! readOnly:bool
+Namespace metadata!:ObjectMeta spec!:NamespaceSpec status!:NamespaceStatus
NamespaceCondition type! status! 4lastTransitionTime!:time reason message
NamespaceSpec finalizers:[]
NamespaceStatus phase conditions:NamespaceCondition[]
+Node metadata!:ObjectMeta spec!:NodeSpec status!:NodeStatus
NodeAddress type! address!
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
NodeAllocatableResourceClaimStatus resourceClaimName! containers:[] resources!:quantity{}
NodeCondition type! status! lastHeartbeatTime!:time lastTransitionTime!:time reason message
NodeConfigSource 2configMap:ConfigMapNodeConfigSource
NodeConfigStatus assigned:NodeConfigSource active:NodeConfigSource lastKnownGood:NodeConfigSource error
NodeDaemonEndpoints kubeletEndpoint!:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy?:bool
+NodeProxyOptions path
NodeRuntimeHandler name! features:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts?:bool userNamespaces?:bool
NodeSelector nodeSelectorTerms!:NodeSelectorTerm[]
NodeSelectorRequirement key! operator! values:[]
NodeSelectorTerm matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]
NodeSpec podCIDR externalID providerID unschedulable:bool taints:Taint[] configSource:NodeConfigSource podCIDRs:[]
NodeStatus capacity:quantity{} allocatable:quantity{} phase conditions:NodeCondition[] addresses:NodeAddress[] daemonEndpoints!:NodeDaemonEndpoints nodeInfo!:NodeSystemInfo images:ContainerImage[] volumesInUse:[] volumesAttached:AttachedVolume[] config:NodeConfigStatus runtimeHandlers:NodeRuntimeHandler[] features:NodeFeatures declaredFeatures:[]
NodeSwapStatus capacity?:int
NodeSystemInfo machineID! systemUUID! bootID! kernelVersion! osImage! containerRuntimeVersion! kubeletVersion! kubeProxyVersion! operatingSystem! architecture! swap:NodeSwapStatus
ObjectFieldSelector apiVersion fieldPath!
ObjectReference kind namespace name uid apiVersion resourceVersion fieldPath
+PersistentVolume metadata!:ObjectMeta spec!:PersistentVolumeSpec status!:PersistentVolumeStatus
+PersistentVolumeClaim metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec status!:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type! status! lastProbeTime!:time lastTransitionTime!:time reason message
PersistentVolumeClaimSpec accessModes:[] resources!:VolumeResourceRequirements volumeName selector:LabelSelector storageClassName? volumeMode? dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference volumeAttributesClassName?
PersistentVolumeClaimStatus phase accessModes:[] capacity:quantity{} conditions:PersistentVolumeClaimCondition[] allocatedResources:quantity{} 7allocatedResourceStatuses:{} currentVolumeAttributesClassName? modifyVolumeStatus:ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName! readOnly:bool
PersistentVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource hostPath:HostPathVolumeSource glusterfs:GlusterfsPersistentVolumeSource nfs:NFSVolumeSource rbd:RBDPersistentVolumeSource iscsi:ISCSIPersistentVolumeSource cinder:CinderPersistentVolumeSource cephfs:CephFSPersistentVolumeSource fc:FCVolumeSource flocker:FlockerVolumeSource flexVolume:FlexPersistentVolumeSource azureFile:AzureFilePersistentVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOPersistentVolumeSource local:LocalVolumeSource storageos:StorageOSPersistentVolumeSource csi:CSIPersistentVolumeSource
PersistentVolumeSpec capacity:quantity{} *:PersistentVolumeSource accessModes:[] claimRef:ObjectReference persistentVolumeReclaimPolicy storageClassName mountOptions:[] volumeMode? nodeAffinity:VolumeNodeAffinity volumeAttributesClassName?
PersistentVolumeStatus phase message reason lastPhaseTransitionTime:time
PhotonPersistentDiskVolumeSource pdID! fsType
+Pod metadata!:ObjectMeta spec!:PodSpec status!:PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodAffinityTerm labelSelector:LabelSelector namespaces:[] topologyKey! namespaceSelector:LabelSelector matchLabelKeys:[] mismatchLabelKeys:[]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
+PodAttachOptions stdin:bool stdout:bool stderr:bool tty:bool container
PodCertificateProjection signerName keyType maxExpirationSeconds?:int credentialBundlePath keyPath certificateChainPath userAnnotations:{}
PodCondition type! status! lastProbeTime!:time lastTransitionTime!:time reason message observedGeneration:int
PodDNSConfig nameservers:[] searches:[] options:PodDNSConfigOption[]
PodDNSConfigOption name value?
+PodExecOptions stdin:bool stdout:bool stderr:bool tty:bool container command!:[]
PodExtendedResourceClaimStatus requestMappings!:ContainerExtendedResourceRequest[] resourceClaimName!
PodIP ip!
+PodLogOptions container follow:bool previous:bool sinceSeconds?:int sinceTime:time timestamps:bool tailLines?:int limitBytes?:int insecureSkipTLSVerifyBackend:bool stream?
PodOS name!
+PodPortForwardOptions ports:int[]
+PodProxyOptions path
PodReadinessGate conditionType!
PodResourceClaim name! 3resourceClaimName? resourceClaimTemplateName?
PodResourceClaimStatus name! resourceClaimName?
PodSchedulingGate name!
PodSchedulingGroup podGroupName?
PodSecurityContext seLinuxOptions:SELinuxOptions runAsUser?:int runAsNonRoot?:bool supplementalGroups:int[] fsGroup?:int runAsGroup?:int sysctls:Sysctl[] windowsOptions:WindowsSecurityContextOptions fsGroupChangePolicy? seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile supplementalGroupsPolicy? seLinuxChangePolicy?
PodSignature podController:OwnerReference
PodSpec volumes:Volume[] containers!:Container[] restartPolicy terminationGracePeriodSeconds?:int activeDeadlineSeconds?:int dnsPolicy nodeSelector:{} serviceAccountName serviceAccount nodeName hostNetwork:bool hostPID:bool hostIPC:bool securityContext:PodSecurityContext imagePullSecrets:LocalObjectReference[] hostname subdomain affinity:Affinity schedulerName initContainers:Container[] automountServiceAccountToken?:bool tolerations:Toleration[] hostAliases:HostAlias[] priorityClassName priority?:int dnsConfig:PodDNSConfig shareProcessNamespace?:bool readinessGates:PodReadinessGate[] runtimeClassName? enableServiceLinks?:bool preemptionPolicy? overhead:quantity{} topologySpreadConstraints:TopologySpreadConstraint[] ephemeralContainers:EphemeralContainer[] setHostnameAsFQDN?:bool os:PodOS hostUsers?:bool schedulingGates:PodSchedulingGate[] resourceClaims:PodResourceClaim[] resources:ResourceRequirements hostnameOverride? 43schedulingGroup:PodSchedulingGroup
PodStatus phase conditions:PodCondition[] message reason hostIP podIP startTime:time containerStatuses:ContainerStatus[] qosClass initContainerStatuses:ContainerStatus[] nominatedNodeName podIPs:PodIP[] ephemeralContainerStatuses:ContainerStatus[] resize resourceClaimStatuses:PodResourceClaimStatus[] hostIPs:HostIP[] observedGeneration:int extendedResourceClaimStatus:PodExtendedResourceClaimStatus allocatedResources:quantity{} resources:ResourceRequirements nodeAllocatableResourceClaimStatuses:NodeAllocatableResourceClaimStatus[]
+PodStatusResult metadata!:ObjectMeta status!:PodStatus
+PodTemplate metadata!:ObjectMeta template!:PodTemplateSpec
PodTemplateSpec metadata!:ObjectMeta spec!:PodSpec
PortStatus port!:int protocol! error?
PortworxVolumeSource volumeID! fsType readOnly:bool
Preconditions uid?
PreferAvoidPodsEntry podSignature!:PodSignature evictionTime!:time reason message
PreferredSchedulingTerm weight!:int preference!:NodeSelectorTerm
Probe *:ProbeHandler initialDelaySeconds:int timeoutSeconds:int periodSeconds:int successThreshold:int failureThreshold:int terminationGracePeriodSeconds?:int
ProbeHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction
ProjectedVolumeSource sources!:VolumeProjection[] defaultMode?:int
QuobyteVolumeSource registry! volume! readOnly:bool user group tenant
RBDPersistentVolumeSource monitors!:[] image! fsType pool user keyring secretRef:SecretReference readOnly:bool
RBDVolumeSource monitors!:[] image! fsType pool user keyring secretRef:LocalObjectReference readOnly:bool
+RangeAllocation metadata!:ObjectMeta range! data!:bytes
+ReplicationController metadata!:ObjectMeta spec!:ReplicationControllerSpec status!:ReplicationControllerStatus
ReplicationControllerCondition type! status! lastTransitionTime!:time reason message
ReplicationControllerSpec replicas?:int selector:{} template:PodTemplateSpec minReadySeconds:int
ReplicationControllerStatus replicas!:int fullyLabeledReplicas:int observedGeneration:int readyReplicas:int availableReplicas:int conditions:ReplicationControllerCondition[]
ResourceClaim name! request
ResourceFieldSelector containerName resource! divisor!:quantity
ResourceHealth resourceID! health 6message?
+ResourceQuota metadata!:ObjectMeta spec!:ResourceQuotaSpec status!:ResourceQuotaStatus
ResourceQuotaSpec hard:quantity{} scopes:[] scopeSelector:ScopeSelector
ResourceQuotaStatus hard:quantity{} used:quantity{}
ResourceRequirements limits:quantity{} requests:quantity{} claims:ResourceClaim[]
ResourceStatus name! resources:ResourceHealth[]
SELinuxOptions user role type level
ScaleIOPersistentVolumeSource gateway! system! secretRef?!:SecretReference sslEnabled:bool protectionDomain storagePool storageMode volumeName fsType readOnly:bool
ScaleIOVolumeSource gateway! system! secretRef?!:LocalObjectReference sslEnabled:bool protectionDomain storagePool storageMode volumeName fsType readOnly:bool
ScopeSelector matchExpressions:ScopedResourceSelectorRequirement[]
ScopedResourceSelectorRequirement scopeName! operator! values:[]
SeccompProfile type! localhostProfile?
+Secret metadata!:ObjectMeta data:bytes{} type stringData:{} immutable?:bool
SecretEnvSource *:LocalObjectReference optional?:bool
SecretKeySelector *:LocalObjectReference key! optional?:bool
SecretProjection *:LocalObjectReference items:KeyToPath[] 4optional?:bool
SecretReference name namespace
SecretVolumeSource secretName items:KeyToPath[] defaultMode?:int optional?:bool
SecurityContext capabilities:Capabilities privileged?:bool seLinuxOptions:SELinuxOptions runAsUser?:int runAsNonRoot?:bool readOnlyRootFilesystem?:bool allowPrivilegeEscalation?:bool runAsGroup?:int procMount? windowsOptions:WindowsSecurityContextOptions seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile
+SerializedReference reference!:ObjectReference
+Service metadata!:ObjectMeta spec!:ServiceSpec status!:ServiceStatus
+ServiceAccount metadata!:ObjectMeta secrets:ObjectReference[] imagePullSecrets:LocalObjectReference[] automountServiceAccountToken?:bool
ServiceAccountTokenProjection audience expirationSeconds?:int path!
ServicePort name protocol port!:int targetPort!:intOrString nodePort:int appProtocol?
+ServiceProxyOptions path
ServiceSpec ports:ServicePort[] selector:{} clusterIP type externalIPs:[] 7sessionAffinity loadBalancerIP loadBalancerSourceRanges:[] externalName externalTrafficPolicy healthCheckNodePort:int publishNotReadyAddresses:bool sessionAffinityConfig:SessionAffinityConfig 17ipFamilyPolicy? clusterIPs:[] ipFamilies:[] allocateLoadBalancerNodePorts?:bool loadBalancerClass? internalTrafficPolicy? trafficDistribution?
ServiceStatus loadBalancer!:LoadBalancerStatus conditions:Condition[]
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds!:int
StorageOSPersistentVolumeSource volumeName volumeNamespace fsType readOnly:bool secretRef:ObjectReference
StorageOSVolumeSource volumeName volumeNamespace fsType readOnly:bool secretRef:LocalObjectReference
Sysctl name! value!
TCPSocketAction port!:intOrString host
Taint key! value effect! timeAdded:time
Toleration key operator value effect tolerationSeconds?:int
TopologySelectorLabelRequirement key! values!:[]
TopologySelectorTerm matchLabelExpressions:TopologySelectorLabelRequirement[]
TopologySpreadConstraint maxSkew!:int topologyKey! whenUnsatisfiable! labelSelector:LabelSelector minDomains?:int nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys:[]
TypedLocalObjectReference apiGroup?! kind! name!
TypedObjectReference apiGroup?! kind! name! namespace?
Volume name! *:VolumeSource
VolumeDevice name! devicePath!
VolumeMount name! readOnly:bool mountPath! subPath mountPropagation? subPathExpr recursiveReadOnly?
VolumeMountStatus name! mountPath! readOnly:bool recursiveReadOnly? volumeStatus:VolumeStatus
VolumeNodeAffinity required:NodeSelector
VolumeProjection secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection podCertificate:PodCertificateProjection
VolumeResourceRequirements limits:quantity{} requests:quantity{}
VolumeSource hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource gitRepo:GitRepoVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource iscsi:ISCSIVolumeSource glusterfs:GlusterfsVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource rbd:RBDVolumeSource flexVolume:FlexVolumeSource cinder:CinderVolumeSource cephfs:CephFSVolumeSource flocker:FlockerVolumeSource downwardAPI:DownwardAPIVolumeSource fc:FCVolumeSource azureFile:AzureFileVolumeSource configMap:ConfigMapVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOVolumeSource projected:ProjectedVolumeSource storageos:StorageOSVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource image:ImageVolumeSource
VolumeStatus image:ImageVolumeStatus
VsphereVirtualDiskVolumeSource volumePath! fsType storagePolicyName storagePolicyID
WeightedPodAffinityTerm weight!:int podAffinityTerm!:PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName? gmsaCredentialSpec? runAsUserName? hostProcess?:bool
`;
