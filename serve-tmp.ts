import { writeFileSync } from 'node:fs';
import { createTestApiServer } from '@nodeagent/testing';
const server = createTestApiServer({ logger: { debug(){}, info(){}, warn: (...a: unknown[]) => console.error(...a), error: console.error, child() { return this as never; } } as never });
console.log(await server.listen({ tls: true }));
writeFileSync('/tmp/k/kubeconfig', server.kubeconfig({ user: { username: 'alice', groups: ['system:masters'] } }));
