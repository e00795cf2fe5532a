import type { Pod, PodStatus } from '@nodeagent/api';
import type { TestApiServer } from '@nodeagent/test-api-server';
import type { ScenarioApi } from './scenario.js';

/** The one pod of a namespace of an API server: the scenario's pod, or the mirror of a static one. */
export class ServerPod implements ScenarioApi {
  readonly #server: TestApiServer;
  readonly #namespace: string;

  constructor(server: TestApiServer, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
  }

  get pod(): Pod | undefined {
    return this.#server.objects.list<Pod>('pods', { namespace: this.#namespace })[0];
  }

  create({ metadata: { name, labels } = {}, status: _status, ...pod }: Pod): void {
    const metadata = { ...(name !== undefined && { name }), namespace: this.#namespace, ...(labels && { labels }) };
    this.#server.objects.create<Pod>({ ...pod, metadata });
  }

  update(change: (pod: Pod) => Pod, subresource?: 'resize' | 'ephemeralcontainers'): void {
    this.#change((pod) => Object.assign(pod, change(pod)), subresource);
  }

  updateStatus(change: (status: PodStatus) => PodStatus): void {
    this.#change((pod) => Object.assign(pod, { status: change(pod.status ?? {}) }), 'status');
  }

  delete(gracePeriodSeconds?: number): void {
    const options = { namespace: this.#namespace, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
    this.#server.objects.delete('pods', this.#name(), options);
  }

  #change(change: (pod: Pod) => void, subresource: string | undefined): void {
    const options = { namespace: this.#namespace, ...(subresource !== undefined && { subresource }) };
    this.#server.objects.update<Pod>('pods', this.#name(), change, options);
  }

  #name(): string {
    return this.pod?.metadata?.name ?? '';
  }
}
