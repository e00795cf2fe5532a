import type { LabelSelector, ObjectMeta, Pod, PodSpec } from '@nodeagent/api';
import { equalJson, isObject, matchesLabelSelector } from '@nodeagent/api/helpers';
import { applyTemplateDefaults, validatePod } from '@nodeagent/pod-sources/decisions';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';

type Template = { metadata?: ObjectMeta; spec?: PodSpec };
type WorkloadSpec = Record<string, unknown> & {
  selector?: LabelSelector;
  template?: Template;
  volumeClaimTemplates?: { metadata?: ObjectMeta }[];
};

/** Copies the fields that are missing in `target` from `defaults`, at every depth. */
export function fillIn(target: Record<string, unknown>, defaults: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(defaults)) {
    const own = target[field];
    if (own === undefined || own === null) target[field] = copyJson(value);
    else if (isObject(own) && isObject(value)) fillIn(own, value);
  }
}

function specOf(object: ApiObject): WorkloadSpec {
  object.spec ??= {};
  return object.spec as WorkloadSpec;
}

function defaultTemplate(template: Template | undefined): void {
  if (template?.spec) applyTemplateDefaults(template as Pod);
}

function templateProblems({ template, volumeClaimTemplates = [] }: WorkloadSpec, field = 'spec.template'): KindFieldProblem[] {
  if (!template?.spec) return [{ field: `${field}.spec.containers`, problem: 'Required value' }];
  // The pods of a StatefulSet have a volume for each of its claims.
  const claimed = volumeClaimTemplates.map(({ metadata }) => ({ name: metadata?.name ?? '', emptyDir: {} }));
  const volumes = (template.spec.volumes ?? []).filter((volume) => !claimed.some(({ name }) => name === volume.name));
  const spec = claimed.length > 0 ? { ...template.spec, volumes: [...volumes, ...claimed] } : template.spec;
  const pod = { metadata: { ...template.metadata, name: 'template', namespace: 'default' }, spec };
  return validatePod(pod).map(({ field: inPod, problem }) => ({ field: `${field}.${inPod}`, problem }));
}

function selectorProblems({ selector, template }: WorkloadSpec): KindFieldProblem[] {
  if (!selector) return [{ field: 'spec.selector', problem: 'Required value' }];
  if (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0) {
    return [{ field: 'spec.selector', problem: 'Invalid value: {}: empty selector is invalid for deployment' }];
  }
  if (matchesLabelSelector(selector, template?.metadata?.labels)) return [];
  const labels = JSON.stringify(template?.metadata?.labels ?? {});
  return [{ field: 'spec.template.metadata.labels', problem: `Invalid value: ${labels}: \`selector\` does not match template \`labels\`` }];
}

/** The immutable fields of the spec. */
export function immutable(...names: string[]): NonNullable<KindRules['validateUpdate']> {
  return (after, before) =>
    names
      .filter((name) => !equalJson(specOf(after)[name] ?? null, specOf(before)[name] ?? null))
      .map((name) => ({ field: `spec.${name}`, problem: `Invalid value: ${JSON.stringify(specOf(after)[name])}: field is immutable` }));
}

/** Rules of a controller of pods whose spec has a selector and a template. */
function controllerRules(
  defaults: Readonly<Record<string, unknown>>,
  further: (spec: WorkloadSpec, object: ApiObject, before?: ApiObject) => void = () => {},
): KindRules {
  const prepare = (object: ApiObject, before?: ApiObject) => {
    const spec = specOf(object);
    fillIn(spec, defaults);
    defaultTemplate(spec.template);
    further(spec, object, before);
  };
  return {
    prepareCreate: (object) => prepare(object),
    prepareUpdate: prepare,
    validate: (object) => [...selectorProblems(specOf(object)), ...templateProblems(specOf(object))],
    validateUpdate: immutable('selector'),
  };
}

export const deploymentRules = controllerRules(
  { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: { type: 'RollingUpdate' } },
  ({ strategy }) => {
    if (!isObject(strategy) || strategy.type !== 'RollingUpdate') return;
    fillIn(strategy, { rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } });
  },
);

export const replicaSetRules = controllerRules({ replicas: 1 });

function prepareReplicationController(object: ApiObject): void {
  const spec = specOf(object) as Record<string, unknown> & { template?: Template };
  const labels = spec.template?.metadata?.labels;
  fillIn(spec, { replicas: 1, ...(labels && { selector: labels }) });
  if (labels && !object.metadata.labels) object.metadata.labels = { ...labels };
  defaultTemplate(spec.template);
}

/** Its selector is a map of labels, by default those of the template: Kubernetes documentation, "ReplicationController". */
export const replicationControllerRules: KindRules = {
  prepareCreate: prepareReplicationController,
  prepareUpdate: prepareReplicationController,
  validate(object) {
    const spec = specOf(object);
    const { selector, template } = spec as { selector?: Record<string, string>; template?: Template };
    if (!selector || Object.keys(selector).length === 0) return [{ field: 'spec.selector', problem: 'Required value' }];
    const labels = template?.metadata?.labels;
    const problem = `Invalid value: ${JSON.stringify(labels ?? {})}: \`selector\` does not match template \`labels\``;
    const mismatch = matchesLabelSelector({ matchLabels: selector }, labels) ? [] : [{ field: 'spec.template.metadata.labels', problem }];
    return [...mismatch, ...templateProblems(spec)];
  },
};

/** The number of changes of a DaemonSet's template, which its pods and revisions have too. */
const templateGeneration = 'deprecated.daemonset.template.generation';

export const daemonSetRules = controllerRules(
  { revisionHistoryLimit: 10, updateStrategy: { type: 'RollingUpdate' } },
  ({ template, updateStrategy }, { metadata }, before) => {
    const strategy = updateStrategy as Record<string, unknown>;
    if (strategy.type === 'RollingUpdate') fillIn(strategy, { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } });
    const generation = Number(before?.metadata.annotations?.[templateGeneration] ?? 0);
    const isChanged = before === undefined || !equalJson(template, specOf(before).template);
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation + (isChanged ? 1 : 0)) };
  },
);

const claimDefaults = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } };

export const statefulSetRules = controllerRules(
  {
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  },
  (spec) => {
    const strategy = (spec.updateStrategy ?? { rollingUpdate: {} }) as Record<string, unknown>;
    spec.updateStrategy = strategy;
    fillIn(strategy, { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) fillIn(strategy, { rollingUpdate: { partition: 0 } });
    for (const claim of spec.volumeClaimTemplates ?? []) fillIn(claim as Record<string, unknown>, claimDefaults);
  },
);

/** A job's pods are selected by labels that the server generates from its UID. */
export const jobRules: KindRules = {
  prepareCreate(object) {
    const spec = specOf(object);
    const { template } = spec;
    const isUnlabelled = Object.keys(object.metadata.labels ?? {}).length === 0;
    if (spec.manualSelector !== true && template) {
      const labels = { 'batch.kubernetes.io/controller-uid': object.metadata.uid ?? '', 'controller-uid': object.metadata.uid ?? '' };
      const names = { 'batch.kubernetes.io/job-name': object.metadata.name ?? '', 'job-name': object.metadata.name ?? '' };
      template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, ...labels, ...names } };
      spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': object.metadata.uid ?? '' } };
    }
    if (isUnlabelled && template?.metadata?.labels) object.metadata.labels = copyJson(template.metadata.labels);
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    fillIn(spec, {
      parallelism: 1,
      // The limit of each index is the only one by default.
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    });
    defaultTemplate(template);
  },
  validate(object) {
    const spec = specOf(object);
    return [...templateProblems(spec), ...jobPolicyProblems(spec.template, 'spec.template')];
  },
  validateUpdate: (after, before, subresource) => immutable(...fixedFields(after))(after, before, subresource),
};

/** An indexed job can change its size, with as many completions as pods. */
function fixedFields(job: ApiObject): string[] {
  const { completionMode, completions, parallelism } = specOf(job);
  const isElastic = completionMode === 'Indexed' && completions === parallelism;
  return ['selector', 'template', 'completionMode', ...(isElastic ? [] : ['completions'])];
}

export const cronJobRules: KindRules = {
  prepareCreate: prepareCronJob,
  prepareUpdate: prepareCronJob,
  validate(object) {
    const { schedule, jobTemplate } = specOf(object);
    const inner = isObject(jobTemplate) && isObject(jobTemplate.spec) ? (jobTemplate.spec as WorkloadSpec) : {};
    return [
      ...(schedule ? [] : [{ field: 'spec.schedule', problem: 'Required value' }]),
      ...templateProblems(inner, 'spec.jobTemplate.spec.template'),
      ...jobPolicyProblems(inner.template, 'spec.jobTemplate.spec.template'),
    ];
  },
};

function prepareCronJob(object: ApiObject): void {
  const spec = specOf(object);
  fillIn(spec, { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  const { jobTemplate } = spec;
  if (isObject(jobTemplate) && isObject(jobTemplate.spec)) defaultTemplate((jobTemplate.spec as WorkloadSpec).template);
}

function jobPolicyProblems(template: Template | undefined, field: string): KindFieldProblem[] {
  const policy = template?.spec?.restartPolicy;
  if (!template?.spec || policy === 'OnFailure' || policy === 'Never') return [];
  const problem = policy === 'Always' ? 'Unsupported value: "Always": supported values: "OnFailure", "Never"' : 'Required value';
  return [{ field: `${field}.spec.restartPolicy`, problem }];
}
