import type { TestApiServerOptions } from '../../options.js';
import { setUp } from '../../test-api-server.fixture.js';
import { rule } from '../webhooks/webhooks.fixture.js';

const group = '/apis/admissionregistration.k8s.io/v1';
export const policies = { validating: `${group}/validatingadmissionpolicies`, mutating: `${group}/mutatingadmissionpolicies` };
export const bindings = { validating: `${group}/validatingadmissionpolicybindings`, mutating: `${group}/mutatingadmissionpolicybindings` };

export const matching = (resource: string, ...operations: string[]) => ({
  matchConstraints: { resourceRules: [rule(resource, ...operations)] },
});

/** A server with one bound policy; `create` creates a ConfigMap. */
export async function withPolicy(kind: 'validating' | 'mutating', spec: object, binding: object = {}, options: TestApiServerOptions = {}) {
  const { watch: _watch, ...set } = setUp(options);
  const actions = kind === 'validating' ? { validationActions: ['Deny'] } : {};
  const policy = await set.call('POST', policies[kind], {
    metadata: { name: 'rules' },
    spec: { ...matching('configmaps', 'CREATE', 'UPDATE'), ...spec },
  });
  const bound = await set.call('POST', bindings[kind], {
    metadata: { name: 'bound' },
    spec: { policyName: 'rules', ...actions, ...binding },
  });
  if (policy.status !== 201 || bound.status !== 201) throw new Error(policy.body.message ?? bound.body.message);
  const create = (name = 'c', more: object = {}) =>
    set.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name }, ...more });
  return { ...set, policy: policy.body, create };
}
