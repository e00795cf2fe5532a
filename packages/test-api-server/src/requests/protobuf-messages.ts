/*
 * The fields of the messages that kubectl sends as protobuf: its commands that create objects themselves (`create namespace`, `run`, `drain`,
 * `auth can-i`, ...) support no other encoding. Numbers are those of the Kubernetes API's published protobuf definitions.
 *
 * `name:number:type`; types are `string` (default), `bytes`, `int`, `bool`, `time`, `quantity`, `intOrString` or a message; `?` after it:
 * zero and false are kept; `[]`: a list; `{}`: a map of it by string.
 */

const workloadSpec = 'replicas:1:int? selector:2:LabelSelector template:3:PodTemplate';

const messages: Readonly<Record<string, string>> = {
  ObjectMeta:
    'name:1 generateName:2 namespace:3 selfLink:4 uid:5 resourceVersion:6 generation:7:int creationTimestamp:8:time deletionTimestamp:9:time ' +
    'deletionGracePeriodSeconds:10:int? labels:11:string{} annotations:12:string{} ownerReferences:13:OwnerReference[] finalizers:14:string[]',
  OwnerReference: 'kind:1 name:3 uid:4 apiVersion:5 controller:6:bool? blockOwnerDeletion:7:bool?',
  LabelSelector: 'matchLabels:1:string{} matchExpressions:2:Requirement[]',
  Requirement: 'key:1 operator:2 values:3:string[]',
  LocalReference: 'name:1',
  ObjectReference: 'kind:1 namespace:2 name:3 uid:4 apiVersion:5 resourceVersion:6 fieldPath:7',

  DeleteOptions: 'gracePeriodSeconds:1:int? preconditions:2:Preconditions orphanDependents:3:bool? propagationPolicy:4 dryRun:5:string[]',
  Preconditions: 'uid:1 resourceVersion:2',
  Eviction: 'metadata:1:ObjectMeta deleteOptions:2:DeleteOptions',
  TokenRequest: 'metadata:1:ObjectMeta spec:2:TokenRequestSpec status:3:Empty',
  TokenRequestSpec: 'audiences:1:string[] boundObjectRef:3:BoundObjectReference expirationSeconds:4:int?',
  BoundObjectReference: 'kind:1 apiVersion:2 name:3 uid:4',

  SelfSubjectReview: 'metadata:1:ObjectMeta status:2:Empty',
  SelfSubjectAccessReview: 'metadata:1:ObjectMeta spec:2:SelfSubjectAccessReviewSpec status:3:Empty',
  SelfSubjectAccessReviewSpec: 'resourceAttributes:1:ResourceAttributes nonResourceAttributes:2:NonResourceAttributes',
  ResourceAttributes: 'namespace:1 verb:2 group:3 version:4 resource:5 subresource:6 name:7',
  NonResourceAttributes: 'path:1 verb:2',
  SelfSubjectRulesReview: 'metadata:1:ObjectMeta spec:2:SelfSubjectRulesReviewSpec status:3:Empty',
  SelfSubjectRulesReviewSpec: 'namespace:1',

  Namespace: 'metadata:1:ObjectMeta spec:2:Empty status:3:Empty',
  ConfigMap: 'metadata:1:ObjectMeta data:2:string{} binaryData:3:bytes{} immutable:4:bool?',
  Secret: 'metadata:1:ObjectMeta data:2:bytes{} type:3 stringData:4:string{} immutable:5:bool?',
  ServiceAccount:
    'metadata:1:ObjectMeta secrets:2:ObjectReference[] imagePullSecrets:3:LocalReference[] automountServiceAccountToken:4:bool?',
  ResourceQuota: 'metadata:1:ObjectMeta spec:2:ResourceQuotaSpec status:3:Empty',
  ResourceQuotaSpec: 'hard:1:quantity{} scopes:2:string[]',
  PriorityClass: 'metadata:1:ObjectMeta value:2:int globalDefault:3:bool description:4 preemptionPolicy:5',
  PodDisruptionBudget: 'metadata:1:ObjectMeta spec:2:PodDisruptionBudgetSpec status:3:Empty',
  PodDisruptionBudgetSpec: 'minAvailable:1:intOrString selector:2:LabelSelector maxUnavailable:3:intOrString',

  Role: 'metadata:1:ObjectMeta rules:2:PolicyRule[]',
  ClusterRole: 'metadata:1:ObjectMeta rules:2:PolicyRule[]',
  PolicyRule: 'verbs:1:string[] apiGroups:2:string[] resources:3:string[] resourceNames:4:string[] nonResourceURLs:5:string[]',
  RoleBinding: 'metadata:1:ObjectMeta subjects:2:Subject[] roleRef:3:RoleRef',
  ClusterRoleBinding: 'metadata:1:ObjectMeta subjects:2:Subject[] roleRef:3:RoleRef',
  Subject: 'kind:1 apiGroup:2 name:3 namespace:4',
  RoleRef: 'apiGroup:1 kind:2 name:3',

  Service: 'metadata:1:ObjectMeta spec:2:ServiceSpec status:3:Empty',
  ServiceSpec:
    'ports:1:ServicePort[] selector:2:string{} clusterIP:3 type:4 externalIPs:5:string[] sessionAffinity:7 loadBalancerIP:8 externalName:10 ' +
    'externalTrafficPolicy:11 clusterIPs:18:string[]',
  ServicePort: 'name:1 protocol:2 port:3:int targetPort:4:intOrString nodePort:5:int appProtocol:6',

  Deployment: 'metadata:1:ObjectMeta spec:2:DeploymentSpec status:3:Empty',
  DeploymentSpec: `${workloadSpec} strategy:4:Empty minReadySeconds:5:int revisionHistoryLimit:6:int? paused:7:bool progressDeadlineSeconds:9:int?`,
  Job: 'metadata:1:ObjectMeta spec:2:JobSpec status:3:Empty',
  JobSpec:
    'parallelism:1:int? completions:2:int? activeDeadlineSeconds:3:int? selector:4:LabelSelector manualSelector:5:bool? template:6:PodTemplate ' +
    'backoffLimit:7:int? ttlSecondsAfterFinished:8:int?',
  CronJob: 'metadata:1:ObjectMeta spec:2:CronJobSpec status:3:Empty',
  CronJobSpec: 'schedule:1 startingDeadlineSeconds:2:int? concurrencyPolicy:3 suspend:4:bool? jobTemplate:5:JobTemplate',
  JobTemplate: 'metadata:1:ObjectMeta spec:2:JobSpec',
  PodTemplate: 'metadata:1:ObjectMeta spec:2:PodSpec',
  Pod: 'metadata:1:ObjectMeta spec:2:PodSpec status:3:Empty',
  PodSpec:
    'containers:2:Container[] restartPolicy:3 terminationGracePeriodSeconds:4:int? activeDeadlineSeconds:5:int? dnsPolicy:6 ' +
    'nodeSelector:7:string{} serviceAccountName:8 serviceAccount:9 nodeName:10 hostNetwork:11:bool hostPID:12:bool hostIPC:13:bool ' +
    'securityContext:14:Empty imagePullSecrets:15:LocalReference[] hostname:16 subdomain:17 schedulerName:19 priorityClassName:24',
  Container:
    'name:1 image:2 command:3:string[] args:4:string[] workingDir:5 ports:6:ContainerPort[] env:7:EnvVar[] resources:8:Resources ' +
    'terminationMessagePath:13 imagePullPolicy:14 stdin:16:bool stdinOnce:17:bool tty:18:bool terminationMessagePolicy:20',
  ContainerPort: 'name:1 hostPort:2:int containerPort:3:int protocol:4 hostIP:5',
  EnvVar: 'name:1 value:2',
  Resources: 'limits:1:quantity{} requests:2:quantity{}',
  Empty: '',
};

/** One field of a message. */
export interface ProtobufField {
  name: string;
  type: string;
  /** Whether zero and false are kept. */
  explicit: boolean;
  container: 'none' | 'list' | 'map';
}

const parsed = new Map<string, Map<number, ProtobufField>>();

/** The fields of a message by number; undefined for an unknown message. */
export function protobufFields(message: string): Map<number, ProtobufField> | undefined {
  const known = parsed.get(message);
  const text = Object.hasOwn(messages, message) ? messages[message] : undefined;
  if (known || text === undefined) return known;
  const fields = new Map(
    text.split(' ').flatMap((each): [number, ProtobufField][] => {
      const [, name, number, type = 'string', explicit, container] = /^(\w+):(\d+)(?::(\w+)(\?)?(\[\]|\{\})?)?$/.exec(each) ?? [];
      if (name === undefined) return [];
      const kind = container === '[]' ? 'list' : container === '{}' ? 'map' : 'none';
      return [[Number(number), { name, type, explicit: explicit !== undefined, container: kind }]];
    }),
  );
  parsed.set(message, fields);
  return fields;
}
