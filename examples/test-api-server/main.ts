/**
 * An API server in a test: it creates a pod, rejects the first deletion with a Retry-After, and keeps the deleted pod until its node
 * confirms. No socket, no real time.
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
