import { equalJson } from '@nodeagent/api/helpers';
import { type ApiContext, timestamp } from '../context.js';
import { groupPriority } from '../discovery/documents.js';
import { serviceEndpoint } from '../network/service-endpoint.js';
import type { ApiObject } from '../objects.js';
import { startObject } from '../start/start-object.js';
import type { StoreEvent } from '../store/store-event.js';
import { DiscoveryChecks } from './discovery-checks.js';
import { apiServices, type RemoteSpec, remoteSpecOf } from './remote-spec.js';
import { type Availability, serviceProblem } from './service-problem.js';

const local: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
const relevant = [apiServices, '/services', 'discovery.k8s.io/endpointslices', 'apiextensions.k8s.io/customresourcedefinitions'];

/**
 * Keeps an APIService for each group and version of this server, and the condition `Available` of all: Kubernetes documentation, "Kubernetes API
 * Aggregation Layer".
 */
export class ApiServiceController {
  readonly #context: ApiContext;
  readonly #discoveryProblem: (spec: RemoteSpec) => Promise<string | undefined>;
  readonly #checks: DiscoveryChecks;
  readonly #stopEvents: () => void;
  #isDue = true;

  /** `discoveryProblem` resolves to why the discovery of another server cannot be read. */
  constructor(context: ApiContext, discoveryProblem: (spec: RemoteSpec) => Promise<string | undefined>) {
    this.#context = context;
    this.#discoveryProblem = discoveryProblem;
    this.#checks = new DiscoveryChecks(context.clock, () => this.#setConditions());
    this.#stopEvents = context.store.onEvent((event) => this.#see(event));
  }

  stop(): void {
    this.#stopEvents();
    this.#checks.keepOnly(new Set());
  }

  /** Completes what is due; without it that follows in a microtask after each change. */
  settle(): void {
    if (!this.#isDue) return;
    this.#keepLocal();
    this.#setConditions();
    // Its writes are no reason for another pass.
    this.#isDue = false;
  }

  /** Makes all services due, after changes without events. */
  resync(): void {
    this.#isDue = true;
  }

  #setConditions(): void {
    const { store } = this.#context;
    const checked = new Set<string>();
    for (const service of store.list(apiServices)) {
      const found = this.#availability(service, checked);
      const after = found ? this.#withCondition(service, found) : service;
      if (after !== service) store.put(apiServices, after);
    }
    this.#checks.keepOnly(checked);
  }

  #see({ storage }: StoreEvent): void {
    if (this.#isDue || !relevant.includes(storage)) return;
    this.#isDue = true;
    queueMicrotask(() => this.settle());
  }

  #keepLocal(): void {
    const { store, registry } = this.#context;
    const wanted = new Map<string, ApiObject>();
    for (const { group, version, custom } of registry.list()) {
      const name = `${version}.${group}`;
      if (wanted.has(name)) continue;
      const spec = { group, version, groupPriorityMinimum: groupPriority(group, custom !== undefined) };
      const metadata = { name, labels: { [automanaged]: custom ? 'true' : 'onstart' } };
      const kind = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
      wanted.set(name, { ...kind, metadata, spec: { ...spec, versionPriority: custom ? 100 : 15 } });
    }
    for (const service of store.list(apiServices)) {
      const { labels = {}, name = '' } = service.metadata;
      if (labels[automanaged] && !wanted.has(name)) store.remove(apiServices, service);
    }
    for (const object of wanted.values()) startObject(this.#context, apiServices, this.#withCondition(object, local));
  }

  /** The service with this condition; the same one if it has that already. */
  #withCondition(service: ApiObject, found: Availability): ApiObject {
    const conditions = (service.status as { conditions?: { type: string; lastTransitionTime?: string; status: string }[] } | undefined)
      ?.conditions;
    const before = conditions?.find(({ type }) => type === 'Available');
    const lastTransitionTime = before?.status === found.status ? before.lastTransitionTime : timestamp(this.#context);
    const condition = { type: 'Available', ...found, lastTransitionTime };
    return before && equalJson(before, condition) ? service : { ...service, status: { conditions: [condition] } };
  }

  /** Undefined as long as it is not known. */
  #availability(object: ApiObject, checked: Set<string>): Availability | undefined {
    const spec = remoteSpecOf(object);
    if (spec === undefined) return local;
    const problem = serviceProblem(this.#context, spec);
    if (problem) return problem;
    const { namespace, name, port = 443 } = spec.service;
    const key = JSON.stringify([object.metadata.uid, spec, serviceEndpoint(this.#context, { namespace, name, port })]);
    checked.add(key);
    return this.#checks.resultOf(key, () => this.#discoveryProblem(spec));
  }
}
