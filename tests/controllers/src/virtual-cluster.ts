import { setMaxListeners } from 'node:events';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom, type VirtualClock } from '@nodeagent/testing';
import type { Answer, ChangeType, Cluster, Listener, Request } from './cluster.js';

/** A cluster of the test controllers, in virtual time. */
export function createVirtualCluster(): Cluster & { clock: VirtualClock } {
  const clock = createVirtualClock();
  const server = createTestApiServer({
    clock,
    random: seededRandom(1),
    scheduler: true,
    workloads: true,
    endpointSlices: true,
    disruptionBudgets: true,
    volumeBinder: true,
    nodeLifecycle: true,
    automountServiceAccountTokens: true,
    enableAdmissionPlugins: ['TaintNodesByCondition', 'StorageObjectInUseProtection'],
  });
  const watches = new AbortController();
  setMaxListeners(0, watches.signal);
  return {
    clock,
    async request({ method, path, body, contentType }: Request): Promise<Answer> {
      const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
      const headers = { 'content-type': type, accept: 'application/json' };
      const answer = await server.handle({ method, url: path, headers, ...(body !== undefined && { body }) });
      return { code: answer.status, body: typeof answer.body === 'string' ? JSON.parse(answer.body) : undefined };
    },
    async watch(path: string, listener: Listener) {
      const { body } = await server.handle({ method: 'GET', url: `${path}?watch=true`, headers: {}, signal: watches.signal });
      void follow(body, listener);
    },
    now: clock.now,
    sleep: (ms) => clock.sleep(ms),
    close() {
      watches.abort();
      void server.close();
    },
  };
}

async function follow(body: string | AsyncIterable<string | Uint8Array>, listener: Listener): Promise<void> {
  for await (const piece of body) {
    for (const line of String(piece).split('\n').filter(Boolean)) {
      const { type, object } = JSON.parse(line) as { type: ChangeType; object: Parameters<Listener>[1] };
      listener(type, object);
    }
  }
}
