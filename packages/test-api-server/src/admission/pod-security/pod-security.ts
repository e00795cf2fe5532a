import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiContext } from '../../context.js';
import type { ApiObject } from '../../objects.js';
import { kindSubjectOf } from '../../registry/resource.js';
import { invalid } from '../../status.js';
import { type AdmissionPlugin, beforeOf, objectOf } from '../plugin.js';
import { refused } from '../refuse.js';
import type { CheckedPod } from './check.js';
import { type Level, levelOf, levelProblems, levelText, violationsOf } from './level.js';

/** Checks pods by the labels of their namespace: Kubernetes documentation, "Pod Security Admission". */
export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  validate(request, context) {
    if (request.verb !== 'create' && request.verb !== 'update') return;
    if (request.resource === 'namespaces' && request.group === '') checkNamespace(request, context);
    else if (request.resource === 'pods' && request.group === '') checkPod(request, context);
    else checkTemplate(request, context);
  },
};

function checkPod(request: AdmissionRequest, context: ApiContext): void {
  const { subresource, verb } = request;
  if (subresource !== undefined && subresource !== 'ephemeralcontainers') return;
  const pod = objectOf(request) as ApiObject & CheckedPod;
  if (verb === 'update' && equalJson(checkedPart(pod), checkedPart(beforeOf(request)))) return;
  const labels = labelsOf(request, context);
  if (labels === undefined) return;
  const level = levelOf(labels, 'enforce');
  const violations = violationsOf(pod, level);
  if (violations !== undefined) throw refused(request, `violates PodSecurity ${JSON.stringify(levelText(level))}: ${violations}`);
  report(request, labels, pod);
}

/** What of a pod the rules read. */
function checkedPart({ spec, metadata }: ApiObject): unknown {
  const { tolerations: _tolerations, activeDeadlineSeconds: _deadline, ...rest } = spec as Record<string, unknown>;
  return { rest, annotations: metadata.annotations ?? {} };
}

/** Where the pod template of a kind is. */
const templates: Readonly<Record<string, (spec: Record<string, unknown>) => unknown>> = {
  '/replicationcontrollers': ({ template }) => template,
  'apps/deployments': ({ template }) => template,
  'apps/replicasets': ({ template }) => template,
  'apps/statefulsets': ({ template }) => template,
  'apps/daemonsets': ({ template }) => template,
  'batch/jobs': ({ template }) => template,
  'batch/cronjobs': ({ jobTemplate }) => (jobTemplate as { spec?: { template?: unknown } } | undefined)?.spec?.template,
};

/** Templates that break the rules are only reported: their pods are refused later. */
function checkTemplate(request: AdmissionRequest, context: ApiContext): void {
  const { storage } = request.definition;
  const { spec, template } = objectOf(request);
  const found = storage === '/podtemplates' ? template : isObject(spec) ? templates[storage]?.(spec) : undefined;
  if (request.subresource !== undefined || !isObject(found) || !isObject(found.spec)) return;
  const labels = labelsOf(request, context);
  if (labels !== undefined) report(request, labels, found as unknown as CheckedPod);
}

function labelsOf({ namespace }: AdmissionRequest, { store }: ApiContext): Readonly<Record<string, string>> | undefined {
  return store.get('/namespaces', undefined, namespace ?? '')?.metadata.labels;
}

function report(request: AdmissionRequest, labels: Readonly<Record<string, string>>, pod: CheckedPod): void {
  const wouldViolate = (level: Level) => {
    const violations = violationsOf(pod, level);
    return violations && `would violate PodSecurity ${JSON.stringify(levelText(level))}: ${violations}`;
  };
  const audited = wouldViolate(levelOf(labels, 'audit'));
  if (audited) request.annotate?.('pod-security.kubernetes.io/audit-violations', audited);
  const warned = wouldViolate(levelOf(labels, 'warn'));
  if (warned) request.warn?.(warned);
}

const strictness = ['privileged', 'baseline', 'restricted'];

/** Refuses invalid labels, and reports the pods that break a new level. */
function checkNamespace(request: AdmissionRequest, { store }: ApiContext): void {
  if (request.subresource !== undefined) return;
  const { labels } = objectOf(request).metadata;
  const was = request.before ? beforeOf(request).metadata.labels : {};
  const problems = levelProblems(labels);
  if (problems.length > 0 && !equalJson(problems, levelProblems(was)))
    throw invalid(kindSubjectOf(request.definition, request.name), problems);
  const [now, previous] = [levelOf(labels, 'enforce'), levelOf(was, 'enforce')];
  if (request.verb !== 'update' || equalJson(now, previous)) return;
  if (strictness.indexOf(now.name) < strictness.indexOf(previous.name)) return;
  const podsByReasons = new Map<string, string[]>();
  for (const pod of store.list('/pods', request.name)) {
    const reasons = violationsOf(pod as ApiObject & CheckedPod, now)?.replace(/ \([^()]*\)/g, '');
    if (reasons) podsByReasons.set(reasons, [...(podsByReasons.get(reasons) ?? []), pod.metadata.name ?? '']);
  }
  if (podsByReasons.size === 0) return;
  const level = JSON.stringify(levelText(now));
  request.warn?.(`existing pods in namespace ${JSON.stringify(request.name)} violate the new PodSecurity enforce level ${level}`);
  for (const [reasons, [first, ...others]] of podsByReasons) {
    const rest = others.length === 0 ? '' : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
    request.warn?.(`${first}${rest}: ${reasons}`);
  }
}
