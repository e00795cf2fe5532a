/**
 * An API server in a test: a pod is created, a client that deletes it is told to come back later, and the pod waits for its node.
 * No socket, no real time.
 *
 *     node_modules/.bin/tsx examples/test-api-server/main.ts
 */
import type { Pod } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';

const server = createTestApiServer({ clock: createVirtualClock() });
const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'nginx:1' }] };
server.objects.create<Pod>({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
server.fault({ match: { verb: 'delete' }, status: 429, retryAfterSeconds: 2 });

const url = '/api/v1/namespaces/default/pods/web';
const busy = await server.handle({ method: 'DELETE', url });
console.log(busy.status, 'retry after', busy.headers['retry-after']);
console.log((await server.handle({ method: 'DELETE', url })).status);
console.log(server.objects.get<Pod>('pods', 'web')?.metadata?.deletionTimestamp);
await server.close();
