import type { LabelSelector } from '@nodeagent/api';
import { matchesLabelSelector } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';

/** A rule of webhooks and policies: Kubernetes API reference, "RuleWithOperations", "NamedRuleWithOperations". */
export interface Rule {
  operations?: readonly string[];
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  /** With or without a subresource: `pods`, `pods/status`, `*`; `*` as subresource is any or none. */
  resources?: readonly string[];
  scope?: string;
  resourceNames?: readonly string[];
}

/** What webhooks and policies select. */
export interface Selection {
  rules: readonly Rule[];
  excludedRules?: readonly Rule[];
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

const has = (list: readonly string[] | undefined, value: string) => list?.includes('*') === true || list?.includes(value) === true;

/** Webhooks and policies must not lock out those who repair them. */
const exempt = 'admissionregistration.k8s.io';

/**
 * The version of the resource in which a webhook or policy gets this request: that of the request if a rule has it, else with the match policy
 * `Equivalent` another one; undefined if nothing matches.
 */
export function matchingVersion(
  request: AdmissionRequest,
  { registry, store }: ApiContext,
  selection: Selection,
): ServedResource | undefined {
  const { definition, group } = request;
  if (group === exempt) return undefined;
  const equivalents =
    selection.matchPolicy === 'Exact' ? [] : registry.list().filter((each) => each !== definition && each.storage === definition.storage);
  const versions = [definition, ...equivalents];
  const matched = versions.find((version) => selection.rules.some((rule) => ruleMatches(rule, version, request)));
  if (matched === undefined) return undefined;
  if (versions.some((version) => selection.excludedRules?.some((rule) => ruleMatches(rule, version, request)))) return undefined;
  if (!namespaceMatches(request, store, selection.namespaceSelector)) return undefined;
  return objectMatches(request, selection.objectSelector) ? matched : undefined;
}

function ruleMatches(rule: Rule, { group, version, resource, namespaced }: ServedResource, request: AdmissionRequest): boolean {
  const { verb, subresource, name } = request;
  if (!has(rule.operations, verb.toUpperCase()) || !has(rule.apiGroups, group) || !has(rule.apiVersions, version)) return false;
  // A namespace is in the scope of the cluster.
  if (rule.scope && rule.scope !== '*' && rule.scope !== (namespaced ? 'Namespaced' : 'Cluster')) return false;
  if (rule.resourceNames?.length && !rule.resourceNames.includes(name)) return false;
  return (rule.resources ?? []).some((each) => {
    const [wanted, part] = each.split('/');
    return (wanted === '*' || wanted === resource) && (part === '*' || part === subresource);
  });
}

/** Objects of the cluster match every selector of namespaces, but Namespaces match by their own labels. */
function namespaceMatches(
  { group, resource, namespace, name, object, verb }: AdmissionRequest,
  store: ApiContext['store'],
  selector: LabelSelector = {},
): boolean {
  if (isEmpty(selector)) return true;
  const isNamespace = group === '' && resource === 'namespaces';
  if (isNamespace && verb === 'create') return matchesLabelSelector(selector, labelsOf(object));
  if (namespace === undefined && !isNamespace) return true;
  return matchesLabelSelector(selector, store.get('/namespaces', undefined, namespace ?? name)?.metadata.labels);
}

/** The old or the new object must match. */
function objectMatches({ object, before }: AdmissionRequest, selector: LabelSelector = {}): boolean {
  if (isEmpty(selector)) return true;
  return [object, before].some((each) => each !== undefined && matchesLabelSelector(selector, labelsOf(each)));
}

const labelsOf = (object: object | undefined) => (object as ApiObject | undefined)?.metadata?.labels;

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
