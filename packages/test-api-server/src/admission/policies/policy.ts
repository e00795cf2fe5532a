import type { LabelSelector } from '@nodeagent/api';
import type { ApiObject } from '../../objects.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { MatchCondition, Variable } from '../expressions/expressions.js';
import type { Rule } from '../rules.js';

/** Kubernetes API reference, "MatchResources". */
export interface MatchResources {
  resourceRules?: readonly Rule[];
  excludeResourceRules?: readonly Rule[];
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  matchPolicy?: string;
}

/** What validating and mutating policies share. */
export interface PolicySpec {
  paramKind?: { apiVersion?: string; kind?: string };
  matchConstraints?: MatchResources;
  matchConditions?: readonly MatchCondition[];
  variables?: readonly Variable[];
  failurePolicy?: string;
}

/** Kubernetes API reference, "ValidatingAdmissionPolicySpec". */
export interface ValidatingPolicySpec extends PolicySpec {
  validations?: readonly { expression: string; message?: string; messageExpression?: string; reason?: string }[];
  auditAnnotations?: readonly { key: string; valueExpression: string }[];
}

/** Kubernetes API reference, "MutatingAdmissionPolicySpec". */
export interface MutatingPolicySpec extends PolicySpec {
  mutations?: readonly { patchType: string; applyConfiguration?: { expression: string }; jsonPatch?: { expression: string } }[];
  reinvocationPolicy?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

/** Kubernetes API reference, "ValidatingAdmissionPolicyBindingSpec", "MutatingAdmissionPolicyBindingSpec". */
export interface BindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: readonly string[];
}

/** A policy and one of its bindings. */
export interface BoundPolicy<Spec extends PolicySpec> {
  policy: string;
  binding: string;
  spec: Spec;
  bindingSpec: BindingSpec;
}

const group = 'admissionregistration.k8s.io';
export const validatingPolicies = {
  policies: `${group}/validatingadmissionpolicies`,
  bindings: `${group}/validatingadmissionpolicybindings`,
};
export const mutatingPolicies = { policies: `${group}/mutatingadmissionpolicies`, bindings: `${group}/mutatingadmissionpolicybindings` };

/** The policies with a binding, by the names of both. */
export function boundPolicies<Spec extends PolicySpec>(
  store: ObjectStore,
  { policies, bindings }: typeof validatingPolicies,
): BoundPolicy<Spec>[] {
  const all = store.list(bindings);
  return store.list(policies).flatMap(({ metadata: { name = '' }, spec }) =>
    all
      .filter((binding) => bindingSpecOf(binding).policyName === name)
      .map((binding) => ({
        policy: name,
        binding: binding.metadata.name ?? '',
        spec: (spec ?? {}) as Spec,
        bindingSpec: bindingSpecOf(binding),
      })),
  );
}

const bindingSpecOf = ({ spec }: ApiObject): BindingSpec => (spec ?? {}) as BindingSpec;
