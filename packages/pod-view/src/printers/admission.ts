import { isObject } from '@nodeagent/api/helpers';
import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, list, text, texts } from './read.js';
import { age, name } from './workloads.js';

const webhooks = printer('Name, Webhooks:integer, Age', (object, now) => [name(object), list(object, 'webhooks').length, age(object, now)]);

/** A policy, with the number of its rules. */
const policy = (title: string, rules: string): TablePrinter =>
  printer(`Name, ${title}:integer, ParamKind, Age`, (object, now) => [
    name(object),
    list(object, rules).length,
    at(object, 'spec.paramKind') ? `${text(object, 'spec.paramKind.apiVersion')}/${text(object, 'spec.paramKind.kind')}` : '<unset>',
    age(object, now),
  ]);

/** A label selector in Go's notation, which the API server prints for parameters by selector. */
function goSelector(selector: JsonObject): string {
  const labels = Object.entries(isObject(selector.matchLabels) ? selector.matchLabels : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = list(selector, 'matchExpressions').map(
    (each) =>
      `LabelSelectorRequirement{Key:${text(each, 'key')},Operator:${text(each, 'operator')},Values:[${texts(each, 'values').join(' ')}],},`,
  );
  const matchLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${matchLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

function paramText(binding: JsonObject): string {
  const param = text(binding, 'spec.paramRef.name');
  if (param !== '') return `${text(binding, 'spec.paramRef.namespace', '*')}/${param}`;
  const selector = at(binding, 'spec.paramRef.selector');
  return isObject(selector) ? goSelector(selector) : '<unset>';
}

const binding = printer('Name, PolicyName, ParamRef, Age', (object, now) => [
  name(object),
  text(object, 'spec.policyName'),
  paramText(object),
  age(object, now),
]);

/** The kinds of `admissionregistration.k8s.io`. */
export const admissionPrinters: Readonly<Record<string, TablePrinter>> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policy('Validations', 'spec.validations'),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': binding,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': policy('Mutations', 'spec.mutations'),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': binding,
};
