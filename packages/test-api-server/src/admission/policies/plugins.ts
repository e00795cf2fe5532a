import type { ApiContext } from '../../context.js';
import { onDemand } from '../on-demand.js';
import type { AdmissionPlugin } from '../plugin.js';
import { mutatingPolicies, validatingPolicies } from './policy.js';

/** The code that runs policies. */
export const loadPolicies = onDemand('policies', () => import('./run-policies.js'));

/** The code that runs policies, if any is bound, and the writer can wait for it. */
function policies(context: ApiContext, { bindings }: typeof validatingPolicies) {
  return context.store.list(bindings).length > 0 ? loadPolicies(context) : undefined;
}

/** Lets the expressions of policies change objects: Kubernetes documentation, "Mutating Admission Policy". */
export const mutatingPolicy: AdmissionPlugin = {
  name: 'MutatingAdmissionPolicy',
  mutate: (request, context) => policies(context, mutatingPolicies)?.mutateByPolicies(request, context),
};

/** Lets the expressions of policies refuse writes: Kubernetes documentation, "Validating Admission Policy". */
export const validatingPolicy: AdmissionPlugin = {
  name: 'ValidatingAdmissionPolicy',
  validate: (request, context) => policies(context, validatingPolicies)?.validateByPolicies(request, context),
};
