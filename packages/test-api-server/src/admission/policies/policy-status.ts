import { isObject } from '@nodeagent/api/helpers';
import type { ApiContext } from '../../context.js';
import type { ApiObject } from '../../objects.js';
import type { ExpressionWarning } from './check-types.js';
import { type ValidatingPolicySpec, validatingPolicies } from './policy.js';

const storage = validatingPolicies.policies;

/** Loads the check of types, see `expressionWarnings`. */
export type LoadTypeCheck = () => Promise<typeof import('./check-types.js')>;

/** Keeps the status of ValidatingAdmissionPolicies: Kubernetes documentation, "Validating Admission Policy: Type checking". */
export class PolicyStatus {
  readonly #context: ApiContext;
  readonly #load: LoadTypeCheck;
  readonly stop: () => void;

  constructor(context: ApiContext, load: LoadTypeCheck) {
    this.#context = context;
    this.#load = load;
    for (const policy of context.store.list(storage)) this.#see(policy);
    this.stop = context.store.onEvent((event) => {
      if (event.storage === storage && event.type !== 'DELETED') this.#see(event.object);
    });
  }

  #see(policy: ApiObject): void {
    if (isObserved(policy)) return;
    void this.#load().then(({ expressionWarnings }) => {
      const current = this.#context.store.get(storage, undefined, policy.metadata.name ?? '');
      if (current === undefined || isObserved(current)) return;
      this.#write(current, expressionWarnings((current.spec ?? {}) as ValidatingPolicySpec, this.#context.registry));
    });
  }

  #write(policy: ApiObject, warnings: readonly ExpressionWarning[]): void {
    const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {};
    const status = { ...statusOf(policy), observedGeneration: policy.metadata.generation, typeChecking };
    this.#context.store.put(storage, { ...policy, status });
  }
}

const statusOf = ({ status }: ApiObject): Record<string, unknown> => (isObject(status) ? status : {});

const isObserved = (policy: ApiObject) => (policy.metadata.generation ?? 0) <= Number(statusOf(policy).observedGeneration ?? 0);
