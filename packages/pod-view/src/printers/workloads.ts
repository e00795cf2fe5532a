import { parseTime } from '@nodeagent/api/helpers';
import { formatAge } from '../format-age.js';
import type { JsonObject } from '../json-object.js';
import { printer, type TableCell, type TablePrinter } from './printer.js';
import { at, count, hasCondition, isTrue, labelsText, list, selectorText, since, text } from './read.js';

export const name = (object: JsonObject): string => text(object, 'metadata.name');

export const age = (object: JsonObject, now: number): string => since(object, 'metadata.creationTimestamp', now);

/** Kinds with nothing else to show. */
export const nameAndAge = printer('Name, Age', (object, now) => [name(object), age(object, now)]);

/** The cells of a pod template's containers: their names, then their images. */
export function containersAndImages(object: JsonObject, podSpec: string): TableCell[] {
  const containers = list(object, `${podSpec}.containers`);
  return ['name', 'image'].map((field) => containers.map((container) => text(container, field)).join(','));
}

/** A number with the API server's default. */
const wanted = (object: JsonObject, path: string): number => (at(object, path) === undefined ? 1 : count(object, path));

const replicas = (selector: (object: JsonObject) => string): TablePrinter =>
  printer('Name, Desired:integer, Current:integer, Ready:integer, Age, Containers*, Images*, Selector*', (object, now) => [
    name(object),
    wanted(object, 'spec.replicas'),
    count(object, 'status.replicas'),
    count(object, 'status.readyReplicas'),
    age(object, now),
    ...containersAndImages(object, 'spec.template.spec'),
    selector(object),
  ]);

const bySelector = (object: JsonObject): string => selectorText(at(object, 'spec.selector'));

const deployment = printer('Name, Ready, Up-to-date, Available, Age, Containers*, Images*, Selector*', (object, now) => [
  name(object),
  `${count(object, 'status.readyReplicas')}/${wanted(object, 'spec.replicas')}`,
  count(object, 'status.updatedReplicas'),
  count(object, 'status.availableReplicas'),
  age(object, now),
  ...containersAndImages(object, 'spec.template.spec'),
  // Unlike other kinds, without `<none>`.
  selectorText(at(object, 'spec.selector'), '', '<invalid>'),
]);

const statefulSet = printer('Name, Ready, Age, Containers*, Images*', (object, now) => [
  name(object),
  `${count(object, 'status.readyReplicas')}/${wanted(object, 'spec.replicas')}`,
  age(object, now),
  ...containersAndImages(object, 'spec.template.spec'),
]);

const daemonSet = printer(
  'Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, Containers*, Images*, Selector*',
  (object, now) => [
    name(object),
    ...['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'updatedNumberScheduled', 'numberAvailable'].map((field) =>
      count(object, `status.${field}`),
    ),
    labelsText(at(object, 'spec.template.spec.nodeSelector')),
    age(object, now),
    ...containersAndImages(object, 'spec.template.spec'),
    bySelector(object),
  ],
);

function jobStatus(job: JsonObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (text(job, 'metadata.deletionTimestamp')) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const succeeded = count(job, 'status.succeeded');
  if (at(job, 'spec.completions') !== undefined) return `${succeeded}/${count(job, 'spec.completions')}`;
  const parallelism = count(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, now: number): string {
  const started = parseTime(text(job, 'status.startTime'));
  if (started === undefined) return '';
  const failed = list(job, 'status.conditions').find(({ type, status }) => type === 'Failed' && status === 'True');
  const ended = parseTime(text(job, 'status.completionTime')) ?? parseTime(text(failed, 'lastTransitionTime'));
  return formatAge((ended ?? now) - started);
}

const job = printer('Name, Status, Completions, Duration, Age, Containers*, Images*, Selector*', (object, now) => [
  name(object),
  jobStatus(object),
  jobCompletions(object),
  jobDuration(object, now),
  age(object, now),
  ...containersAndImages(object, 'spec.template.spec'),
  bySelector(object),
]);

const jobSpec = 'spec.jobTemplate.spec';
const cronJob = printer(
  'Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, Containers*, Images*, Selector*',
  (object, now) => [
    name(object),
    text(object, 'spec.schedule'),
    text(object, 'spec.timeZone', '<none>'),
    isTrue(object, 'spec.suspend') ? 'True' : 'False',
    list(object, 'status.active').length,
    since(object, 'status.lastScheduleTime', now, '<none>'),
    age(object, now),
    ...containersAndImages(object, `${jobSpec}.template.spec`),
    selectorText(at(object, `${jobSpec}.selector`)),
  ],
);

/** The field of a metric and of its status, by its type. */
const metricFields: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

/** The current value and the target of a metric. Averages of a metric that is not of pods are marked. */
function autoscalerTarget(metric: JsonObject, status: JsonObject | undefined): string {
  const type = text(metric, 'type');
  const field = metricFields[type];
  if (field === undefined) return '<unknown type>';
  const pair = (value: string, noTarget = '') =>
    `${text(status, `${field}.current.${value}`, '<unknown>')}/${text(metric, `${field}.target.${value}`, noTarget)}`;
  const isAverage = at(metric, `${field}.target.averageValue`) !== undefined;
  if (type === 'Pods') return pair('averageValue');
  if (type === 'Object' || type === 'External') return isAverage ? `${pair('averageValue')} (avg)` : pair('value');
  return `${text(metric, `${field}.name`)}: ${isAverage ? pair('averageValue') : utilization(metric, status, field)}`;
}

function utilization(metric: JsonObject, status: JsonObject | undefined, field: string): string {
  const [current, target] = [at(status, `${field}.current.averageUtilization`), at(metric, `${field}.target.averageUtilization`)];
  return `${typeof current === 'number' ? `${current}%` : '<unknown>'}/${typeof target === 'number' ? `${target}%` : '<auto>'}`;
}

function autoscalerTargets(autoscaler: JsonObject): string {
  const statuses = list(autoscaler, 'status.currentMetrics');
  const targets = list(autoscaler, 'spec.metrics').map((metric, index) => autoscalerTarget(metric, statuses[index]));
  return targets.length > 2 ? `${targets.slice(0, 2).join(', ')} + ${targets.length - 2} more...` : targets.join(', ') || '<none>';
}

const autoscaler = printer('Name, Reference, Targets, MinPods, MaxPods, Replicas, Age', (object, now) => [
  name(object),
  `${text(object, 'spec.scaleTargetRef.kind')}/${text(object, 'spec.scaleTargetRef.name')}`,
  autoscalerTargets(object),
  text(object, 'spec.minReplicas', '<unset>'),
  count(object, 'spec.maxReplicas'),
  count(object, 'status.currentReplicas'),
  age(object, now),
]);

/** The subresource `scale` of any resource. */
const scale = printer('Name:string, Desired:integer, Available:integer, Age', (object, now) => [
  name(object),
  count(object, 'spec.replicas'),
  count(object, 'status.replicas'),
  age(object, now),
]);

const disruptionBudget = printer('Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age', (object, now) => [
  name(object),
  text(object, 'spec.minAvailable', 'N/A'),
  text(object, 'spec.maxUnavailable', 'N/A'),
  count(object, 'status.disruptionsAllowed'),
  age(object, now),
]);

const controllerRevision = printer('Name, Controller, Revision, Age', (object, now) => {
  const controller = list(object, 'metadata.ownerReferences').find((owner) => owner.controller === true);
  const group = text(controller, 'apiVersion').split('/').slice(0, -1).join('/');
  const kind = text(controller, 'kind').toLowerCase();
  return [
    name(object),
    controller ? `${group ? `${kind}.${group}` : kind}/${text(controller, 'name')}` : '<none>',
    count(object, 'revision'),
    age(object, now),
  ];
});

/** The kinds that run pods, by resource. */
export const workloadPrinters: Readonly<Record<string, TablePrinter>> = {
  'deployments.apps': deployment,
  'replicasets.apps': replicas(bySelector),
  replicationcontrollers: replicas((object) => labelsText(at(object, 'spec.selector'))),
  'statefulsets.apps': statefulSet,
  'daemonsets.apps': daemonSet,
  'controllerrevisions.apps': controllerRevision,
  'jobs.batch': job,
  'cronjobs.batch': cronJob,
  'horizontalpodautoscalers.autoscaling': autoscaler,
  'scales.autoscaling': scale,
  'poddisruptionbudgets.policy': disruptionBudget,
};
