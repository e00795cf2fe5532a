import { matchesLabelSelector } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import { type ApiContext, shown } from '../../context.js';
import { splitApiVersion } from '../../objects.js';
import type { BoundPolicy, PolicySpec } from './policy.js';

/**
 * The parameters of a bound policy: null if it has none, else the objects that the binding selects; without one the policy does not apply.
 * Throws an error with the reason if the binding requires one.
 */
export function paramsOf({ spec, bindingSpec }: BoundPolicy<PolicySpec>, request: AdmissionRequest, context: ApiContext): unknown[] {
  const { paramKind } = spec;
  const { paramRef } = bindingSpec;
  if (paramKind === undefined || paramRef === undefined) return [null];
  const { group, version } = splitApiVersion(paramKind.apiVersion ?? '');
  const definition = context.registry.findByKind(group, version, paramKind.kind ?? '');
  if (definition === undefined) {
    const kind = `${paramKind.apiVersion}, Kind=${paramKind.kind}`;
    throw new Error(`failed to find resource referenced by paramKind: '${kind}'`);
  }
  const { name, selector, parameterNotFoundAction } = paramRef;
  const namespace = definition.namespaced ? paramRef.namespace || request.namespace : undefined;
  if (definition.namespaced && !namespace)
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const found = context.store
    .list(definition.storage, namespace)
    .filter(({ metadata }) => (name ? metadata.name === name : matchesLabelSelector(selector, metadata.labels)));
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found.map((object) => shown(definition, object));
}
