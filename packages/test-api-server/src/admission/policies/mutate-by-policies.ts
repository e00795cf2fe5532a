import { errorMessage } from '@nodeagent/api';
import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import { type ApiContext, kept } from '../../context.js';
import { copyJson } from '../../copy-json.js';
import type { ApiObject } from '../../objects.js';
import { schemaOf } from '../../operations/manage-fields.js';
import { jsonPatch } from '../../patch/json-patch.js';
import { mergeApplied } from '../../patch/merge-applied.js';
import { objectOf } from '../plugin.js';
import { refusedBecause } from '../refuse.js';
import { replaceContent } from '../replace-content.js';
import { type PolicyRun, runPolicy } from './each-policy.js';
import { type BoundPolicy, boundPolicies, type MutatingPolicySpec, mutatingPolicies } from './policy.js';

type Bound = BoundPolicy<MutatingPolicySpec>;

/**
 * Changes the object by the mutating policies, one after the other, and by those with the reinvocation policy `IfNeeded` once more if a later one
 * changed it. Throws if one cannot run.
 */
export function mutateByPolicies(request: AdmissionRequest, context: ApiContext): void {
  const ran = new Map<Bound, number>();
  let changes = 0;
  const run = (bound: Bound) => {
    const { policy, binding, spec } = bound;
    const fail = (why: string) => {
      throw refusedBecause(request, `policy '${policy}' with binding '${binding}' denied request: ${why}`, 'Invalid');
    };
    runPolicy(
      bound,
      request,
      context,
      (each) => {
        try {
          if (mutate(each, request, context)) changes++;
        } catch (error) {
          if (spec.failurePolicy !== 'Ignore') fail(errorMessage(error));
        }
      },
      fail,
    );
  };
  for (const bound of boundPolicies<MutatingPolicySpec>(context.store, mutatingPolicies)) {
    run(bound);
    ran.set(bound, changes);
  }
  for (const [bound, seen] of ran) if (bound.spec.reinvocationPolicy === 'IfNeeded' && seen < changes) run(bound);
}

/** Applies the mutations of a policy; returns whether that changed the object. */
function mutate(
  { bound, version, review, expressions, environment }: PolicyRun<MutatingPolicySpec>,
  request: AdmissionRequest,
  context: ApiContext,
): boolean {
  if (request.object === undefined) return false;
  const before = review.object;
  for (const { applyConfiguration, jsonPatch: patch } of bound.spec.mutations ?? []) {
    const expression = applyConfiguration?.expression ?? patch?.expression ?? '';
    const value = copyJson(expressions.json(expression, environment));
    if (patch) review.object = jsonPatch(review.object, value);
    else if (isObject(value)) review.object = mergeApplied(review.object, withoutIdentity(value), schemaOf(version));
  }
  if (equalJson(before, review.object)) return false;
  replaceContent(objectOf(request), kept(context, version, review.object as ApiObject));
  request.setDefaults?.();
  return true;
}

/** A policy cannot change what an object is. */
function withoutIdentity(value: Record<string, unknown>): Record<string, unknown> {
  for (const field of ['apiVersion', 'kind']) if (field in value) throw new Error(`cannot apply ${field}`);
  if (!isObject(value.metadata)) return value;
  const { name: _name, namespace: _namespace, ...metadata } = value.metadata;
  return { ...value, metadata };
}
