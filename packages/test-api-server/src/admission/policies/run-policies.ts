/** The code of policies, which loads when the first one is bound. */
export { mutateByPolicies } from './mutate-by-policies.js';
export { validateByPolicies } from './validate-by-policies.js';
