import { equalJson } from '@nodeagent/api/helpers';
import { type ApiContext, timestamp } from '../context.js';
import { serviceEndpoint } from '../network/service-endpoint.js';
import type { ApiObject } from '../objects.js';
import { startObject } from '../start/start-object.js';
import type { StoreEvent } from '../store/store-event.js';

/** The kind APIService in the store. */
export const apiServices = 'apiregistration.k8s.io/apiservices';

/** The spec of an APIService that another server answers. */
export interface RemoteSpec {
  group: string;
  version: string;
  service: { namespace: string; name: string; port?: number };
  caBundle?: string;
  insecureSkipTLSVerify?: boolean;
}

export const remoteSpecOf = ({ spec }: ApiObject): RemoteSpec | undefined =>
  (spec as RemoteSpec).service ? (spec as RemoteSpec) : undefined;

const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
const relevant = [apiServices, '/services', 'discovery.k8s.io/endpointslices', 'apiextensions.k8s.io/customresourcedefinitions'];

/**
 * Keeps an APIService for each group and version of this server, and the condition `Available` of all: Kubernetes documentation, "Kubernetes API
 * Aggregation Layer".
 */
export class ApiServiceController {
  readonly #context: ApiContext;
  readonly stop: () => void;
  #isDue = true;

  constructor(context: ApiContext) {
    this.#context = context;
    this.stop = context.store.onEvent((event) => this.#see(event));
  }

  /** Completes what is due; without it that follows in a microtask after each change. */
  settle(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#keepLocal();
    const { store } = this.#context;
    for (const service of store.list(apiServices)) {
      const after = this.#withCondition(service);
      if (after !== service) store.put(apiServices, after);
    }
  }

  /** Makes all services due, after changes without events. */
  resync(): void {
    this.#isDue = true;
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
      const spec = { group, version, ...(custom ? { groupPriorityMinimum: 1000 } : { groupPriorityMinimum: group ? 17_800 : 18_000 }) };
      const metadata = { name, labels: { [automanaged]: custom ? 'true' : 'onstart' } };
      const kind = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
      wanted.set(name, { ...kind, metadata, spec: { ...spec, versionPriority: custom ? 100 : 15 } });
    }
    for (const service of store.list(apiServices)) {
      const { labels = {}, name = '' } = service.metadata;
      if (labels[automanaged] && !wanted.has(name)) store.remove(apiServices, service);
    }
    for (const object of wanted.values()) startObject(this.#context, apiServices, this.#withCondition(object));
  }

  /** The service with its condition `Available`; the same one if it has that already. */
  #withCondition(service: ApiObject): ApiObject {
    const conditions = (service.status as { conditions?: { type: string; lastTransitionTime?: string; status: string }[] } | undefined)
      ?.conditions;
    const before = conditions?.find(({ type }) => type === 'Available');
    const found = this.#availability(service);
    const lastTransitionTime = before?.status === found.status ? before.lastTransitionTime : timestamp(this.#context);
    const condition = { type: 'Available', ...found, lastTransitionTime };
    return before && equalJson(before, condition) ? service : { ...service, status: { conditions: [condition] } };
  }

  #availability(object: ApiObject): { status: string; reason: string; message: string } {
    const unavailable = (reason: string, message: string) => ({ status: 'False', reason, message });
    const spec = remoteSpecOf(object);
    if (spec === undefined) return { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
    const { namespace, name, port = 443 } = spec.service;
    const passed = { status: 'True', reason: 'Passed', message: 'all checks passed' };
    if (this.#context.serviceUrls(namespace, name)) return passed;
    if (!this.#context.store.get('/services', namespace, name)) {
      return unavailable('ServiceNotFound', `service/${name} in "${namespace}" is not present`);
    }
    const { endpoint } = serviceEndpoint(this.#context, { namespace, name, port });
    if (endpoint) return passed;
    return unavailable('MissingEndpoints', `endpoints for service/${name} in "${namespace}" have no addresses with port ${port}`);
  }
}
