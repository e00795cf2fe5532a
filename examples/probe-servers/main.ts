/**
 * Probes an HTTP server, a TCP server and a command once each, as the kubelet probes containers.
 *
 *     node_modules/.bin/tsx examples/probe-servers/main.ts
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { runProbe } from '@nodeagent/prober';
import { machineProbeNetwork } from '@nodeagent/prober/node';

const web = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 503).end()).listen(0);
await once(web, 'listening');
const address = web.address();
const port = typeof address === 'object' && address ? address.port : 0;
const probes = {
  healthy: { httpGet: { path: '/healthz', port } },
  busy: { httpGet: { path: '/', port } },
  open: { tcpSocket: { port } },
  command: { exec: { command: ['test', '-d', '/tmp'] } },
};
for (const [name, probe] of Object.entries(probes)) {
  const { result, output } = await runProbe(
    probe,
    { exec: async ([program = '', ...args]) => ({ exitCode: spawnSync(program, args).status ?? 1 }) },
    { network: machineProbeNetwork },
  );
  console.log(`${name} ${result} ${output}`.trimEnd());
}
web.close();
