import type { Container, ObjectMeta, Pod } from '@nodeagent/api';
import type { Job, PodTemplate } from '../objects.js';
import { podFromTemplate } from '../ownership.js';
import { matchPodFailurePolicy } from './pod-failure-policy.js';
import { trackingFinalizer } from './tracking.js';

const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';
const maxGeneratedName = 58;

/** The completion index of a pod; undefined if it has none below `completions`. */
export function indexOf({ metadata }: Pod, completions: number): number | undefined {
  const text = metadata?.annotations?.[indexKey];
  return text !== undefined && /^\d+$/.test(text) && Number(text) < completions ? Number(text) : undefined;
}

const countOf = ({ metadata }: Pod, key: string): number => {
  const text = metadata?.annotations?.[key] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
};

/** Number of earlier failures of the pod's index that count for `backoffLimitPerIndex`. */
export const failureCount = (pod: Pod): number => countOf(pod, failureCountKey);

/** Number of all earlier failures of the pod's index. */
export const allFailures = (pod: Pod): number => failureCount(pod) + countOf(pod, ignoredFailureCountKey);

/** A pod of the job; `replaced` is the failed pod of the same index. */
export function jobPod(job: Job, index: number | undefined, replaced?: Pod): Pod {
  const { template, backoffLimitPerIndex } = job.spec;
  const pod = podFromTemplate(job, index === undefined ? template : indexedTemplate(template, index, job));
  const failures = index !== undefined && backoffLimitPerIndex !== undefined ? failureAnnotations(job, replaced) : {};
  const annotations = { ...pod.metadata?.annotations, ...failures };
  const metadata: ObjectMeta = {
    ...pod.metadata,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    finalizers: [...(template.metadata?.finalizers ?? []), trackingFinalizer],
    ...(index !== undefined && { generateName: `${(job.metadata.name ?? '').slice(0, maxGeneratedName - `-${index}-`.length)}-${index}-` }),
  };
  return { ...pod, metadata };
}

function indexedTemplate({ metadata, spec }: PodTemplate, index: number, job: Job): PodTemplate {
  const value = String(index);
  const variable = { name: indexVariable, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } } };
  const withVariable = (container: Container): Container =>
    container.env?.some(({ name }) => name === indexVariable) ? container : { ...container, env: [...(container.env ?? []), variable] };
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, [indexKey]: value },
      annotations: { ...metadata?.annotations, [indexKey]: value },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: spec.containers.map(withVariable),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(withVariable) }),
    },
  };
}

function failureAnnotations({ spec }: Job, replaced: Pod | undefined): Record<string, string> {
  if (replaced === undefined) return { [failureCountKey]: '0' };
  const { isCounted } = matchPodFailurePolicy(spec.podFailurePolicy, replaced);
  const ignored = countOf(replaced, ignoredFailureCountKey) + (isCounted ? 0 : 1);
  return {
    [failureCountKey]: String(failureCount(replaced) + (isCounted ? 1 : 0)),
    ...(ignored > 0 && { [ignoredFailureCountKey]: String(ignored) }),
  };
}
