import { errorMessage } from '@nodeagent/api';
import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiContext } from '../../context.js';
import type { ServedResource } from '../../registry/resource.js';
import { type ReviewRequest, reviewRequestOf } from '../admission-review.js';
import { type Environment, Expressions, policyEnvironment, requestVariables } from '../expressions/expressions.js';
import { matchingVersion } from '../rules.js';
import { paramsOf } from './params.js';
import type { BoundPolicy, MatchResources, PolicySpec } from './policy.js';

/** One evaluation of a policy: for one binding and one parameter. */
export interface PolicyRun<Spec extends PolicySpec> {
  bound: BoundPolicy<Spec>;
  version: ServedResource;
  review: ReviewRequest;
  expressions: Expressions;
  /** What the expressions of the policy can refer to. */
  environment: Environment;
}

/**
 * Runs a bound policy on a request that it matches, once for each parameter. `fail` gets the reason why it cannot run; with the failure policy
 * `Ignore` it is not called.
 */
export function runPolicy<Spec extends PolicySpec>(
  bound: BoundPolicy<Spec>,
  request: AdmissionRequest,
  context: ApiContext,
  run: (run: PolicyRun<Spec>) => void,
  fail: (why: string) => void,
): void {
  const { spec, bindingSpec } = bound;
  const { matchConditions = [], variables = [], failurePolicy } = spec;
  const version = versionFor(spec.matchConstraints, request, context);
  if (version === undefined || (bindingSpec.matchResources && !versionFor(bindingSpec.matchResources, request, context))) return;
  request.setDefaults?.();
  const failed = (error: unknown) => failurePolicy !== 'Ignore' && fail(errorMessage(error));
  let params: unknown[];
  try {
    params = paramsOf(bound, request, context);
  } catch (error) {
    failed(new Error(`failed to configure binding: ${errorMessage(error)}`));
    return;
  }
  for (const param of params) {
    const review = reviewRequestOf(request, context, version);
    const expressions = new Expressions({ ...requestVariables(request, review, context), params: param }, variables);
    try {
      if (!expressions.meets(matchConditions, policyEnvironment())) continue;
    } catch (error) {
      failed(error);
      continue;
    }
    run({ bound, version, review, expressions, environment: policyEnvironment(variables) });
  }
}

/** A binding without rules matches what its policy matches. */
function versionFor(match: MatchResources | undefined, request: AdmissionRequest, context: ApiContext): ServedResource | undefined {
  const { resourceRules = [], excludeResourceRules = [], ...selectors } = match ?? {};
  const any = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
  return matchingVersion(request, context, {
    ...selectors,
    rules: resourceRules.length > 0 ? resourceRules : any,
    excludedRules: excludeResourceRules,
  });
}
