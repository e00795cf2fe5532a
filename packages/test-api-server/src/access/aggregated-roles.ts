import type { LabelSelector } from '@nodeagent/api';
import { equalJson, matchesLabelSelector } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { ObjectStore } from '../store/object-store.js';
import type { PolicyRule } from './rbac.js';

const storage = 'rbac.authorization.k8s.io/clusterroles';

/** Sets the rules of ClusterRoles with an `aggregationRule`: Kubernetes documentation, "Using RBAC Authorization: Aggregated ClusterRoles". */
export class AggregatedRoles {
  readonly #store: ObjectStore;
  readonly #stop: () => void;
  /** Initially true: a server may start with roles of an earlier one. */
  #isDue = true;

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#stop = store.onEvent(() => this.#schedule(), { storage });
  }

  /** Writes the rules until none changes: roles may aggregate each other. */
  settle(): void {
    while (this.#isDue) {
      this.#isDue = false;
      const roles = this.#store.list(storage);
      for (const role of roles) this.#aggregate(role, roles);
    }
  }

  stop(): void {
    this.#stop();
    this.#isDue = false;
  }

  #schedule(): void {
    if (!this.#isDue) queueMicrotask(() => this.settle());
    this.#isDue = true;
  }

  #aggregate(role: ApiObject, roles: readonly ApiObject[]): void {
    const selectors = (role.aggregationRule as { clusterRoleSelectors?: LabelSelector[] } | undefined)?.clusterRoleSelectors;
    if (selectors === undefined) return;
    const rules: PolicyRule[] = [];
    for (const selector of selectors) {
      const sources = roles.filter((each) => each !== role && matchesLabelSelector(selector, each.metadata.labels ?? {}));
      for (const rule of sources.flatMap(rulesOf)) if (!rules.some((known) => equalJson(known, rule))) rules.push(rule);
    }
    if (!equalJson(rules, rulesOf(role))) this.#store.put(storage, { ...role, rules });
  }
}

const rulesOf = ({ rules }: ApiObject): readonly PolicyRule[] => (rules as PolicyRule[] | undefined) ?? [];
