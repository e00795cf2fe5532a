import type { Pod, PodSpec, Toleration } from '@nodeagent/api';
import { computeQosClass, dnsSubdomainProblems, equalJson, isMirrorPod } from '@nodeagent/api/helpers';
import { applyApiDefaults, validatePod } from '@nodeagent/pod-sources/decisions';
import { type ApiContext, nameSuffix } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { forbidden } from '../status.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { podUpdateProblems } from './pod-update.js';

/** Seconds that a pod stays on a node that is not ready or is unreachable. */
const nodeProblemTolerationSeconds = 300;

/** Rules of pods: Kubernetes documentation, "Admission Control in Kubernetes", and the API reference's defaults. */
export const podRules: KindRules = {
  validatesMetadata: true,
  nameProblems: dnsSubdomainProblems,
  prepareCreate(object, context) {
    const pod = object as Pod & ApiObject;
    pod.spec ??= { containers: [] };
    const { spec } = pod;
    if (!isMirrorPod(pod)) admitServiceAccount(pod, spec, context);
    admitPriority(pod, spec, context);
    admitRuntimeClass(pod, spec, context);
    applyApiDefaults(pod);
    tolerateNodeProblems(pod.spec as PodSpec);
    pod.status = { phase: 'Pending', qosClass: computeQosClass(pod) };
  },
  prepareUpdate(object, before) {
    const pod = object as Pod & ApiObject;
    applyApiDefaults(pod);
    const qosClass = (before as Pod).status?.qosClass;
    if (pod.status && qosClass) pod.status = { ...pod.status, qosClass };
  },
  validate: (object) => validatePod(object as Pod),
  validateUpdate(object, before, subresource): KindFieldProblem[] {
    return equalJson(object.spec, before.spec) ? [] : podUpdateProblems(object as Pod, before as Pod, subresource);
  },
};

/** Requires that the pod's service account exists. */
function admitServiceAccount(pod: Pod & ApiObject, spec: PodSpec, context: ApiContext): void {
  const name = spec.serviceAccountName || spec.serviceAccount || 'default';
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const { namespace } = pod.metadata;
  const account = context.store.get('/serviceaccounts', namespace, name);
  if (account === undefined) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden({ kind: 'pods', name: pod.metadata.name ?? '' }, why);
  }
  const secrets = account.imagePullSecrets as PodSpec['imagePullSecrets'];
  if (secrets && !spec.imagePullSecrets?.length) spec.imagePullSecrets = copyJson(secrets);
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (context.automountServiceAccountTokens && automount) mountToken(spec, context);
}

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

function mountToken(spec: PodSpec, context: ApiContext): void {
  const name = `kube-api-access-${nameSuffix(context)}`;
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
  ];
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === tokenMountPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenMountPath }];
    used = true;
  }
  if (used) spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources, defaultMode: 0o644 } }];
}

/** The built-in classes, which exist without an object. */
const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function admitPriority(pod: ApiObject, spec: PodSpec, { store }: ApiContext): void {
  const classes = store.list('scheduling.k8s.io/priorityclasses');
  const name = spec.priorityClassName;
  const found = name ? classes.find(({ metadata }) => metadata.name === name) : classes.find(({ globalDefault }) => globalDefault === true);
  if (name && found === undefined && systemPriorities[name] === undefined) {
    throw forbidden({ kind: 'pods', name: pod.metadata.name ?? '' }, `no PriorityClass with name ${name} was found`);
  }
  if (!name && found) spec.priorityClassName = found.metadata.name as string;
  const priority = (found?.value as number | undefined) ?? systemPriorities[name ?? ''] ?? 0;
  const policy = (found?.preemptionPolicy as string | undefined) ?? 'PreemptLowerPriority';
  const refuse = (what: string, sent: number | string, computed: number | string) => {
    const rule = `must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
    return forbidden({ kind: 'pods', name: pod.metadata.name ?? '' }, `the ${what} (${sent}) ${rule}`);
  };
  if (spec.priority !== undefined && spec.priority !== priority) throw refuse('integer value of priority', spec.priority, priority);
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse('string value of PreemptionPolicy', spec.preemptionPolicy, policy);
  spec.priority = priority;
  spec.preemptionPolicy = policy;
}

function admitRuntimeClass(pod: ApiObject, spec: PodSpec, { store }: ApiContext): void {
  const name = spec.runtimeClassName;
  if (!name) return;
  const found = store.get('node.k8s.io/runtimeclasses', undefined, name);
  if (found === undefined) {
    throw forbidden({ kind: 'pods', name: pod.metadata.name ?? '' }, `pod rejected: RuntimeClass "${name}" not found`);
  }
  const overhead = (found.overhead as { podFixed?: PodSpec['overhead'] } | undefined)?.podFixed;
  if (overhead) spec.overhead = { ...overhead };
}

function tolerateNodeProblems(spec: PodSpec): void {
  for (const taint of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const tolerated = (spec.tolerations ?? []).some(
      ({ key, effect }: Toleration) => (key === taint || !key) && (effect === 'NoExecute' || !effect),
    );
    if (tolerated) continue;
    const toleration = { key: taint, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: nodeProblemTolerationSeconds };
    spec.tolerations = [...(spec.tolerations ?? []), toleration];
  }
}
