// For this package's tests, as a separate process: a snapshot of a process that runs tests takes up to a minute. Prints the answer's start.
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { createTestServers } from '../test-server.js';

const { admin, ask, serve, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
const { port } = await serve({ settings: { enableHeapSnapshots: true } });
const { status, body } = await ask(port, '/debug/pprof/heapsnapshot', { client: admin, maxLength: 12 });
console.log(status, body.slice(0, 12));
await stopAll();
