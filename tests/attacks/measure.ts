/**
 * `npm run attacks:measure -- [--only TEXT] [--write]`: runs each attack against an agent and prints what it cost the agent, one line an attack. `--write`
 * puts the table into docs/reliability-runs.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { recordRun, runFacts } from '../support/reliability-runs.js';
import { floodHttp, httpFloods, openIdle } from './http1/floods.js';
import { clientFloods, serveClientFlood } from './http2/client-floods.js';
import { floodServer, serverFloods } from './http2/server-floods.js';
import type { Readings } from './victim/meter.js';
import { startVictim, type Victim } from './victim/victim.js';

/** An attack by a process other than the victim, which lasts at most some seconds. */
interface Attack {
  name: string;
  run(victim: Victim): Promise<unknown>;
}

const attackMs = 2_000;

const attacks: readonly Attack[] = [
  { name: 'none', run: () => sleep(attackMs) },
  ...serverFloods('/v1.PodResourcesLister/List').map((flood) => ({
    name: `gRPC server: ${flood.name}`,
    run: ({ sockets }: Victim) => floodServer(sockets.podResources, flood, attackMs),
  })),
  {
    name: 'gRPC server: 600 connections',
    run: async ({ sockets }) => (await openIdle(sockets.podResources, 600, Buffer.alloc(0))).close(),
  },
  ...clientFloods.map((flood) => ({
    name: `gRPC client: ${flood.name}`,
    async run(victim: Victim) {
      const socket = `${victim.devicePlugins}/hostile.sock`;
      const hostile = await serveClientFlood({ path: socket }, flood, attackMs);
      await victim.readEvents(socket);
      hostile.close();
    },
  })),
  ...httpFloods.map((flood) => ({
    name: `HTTP server: ${flood.name}`,
    run: ({ ports }: Victim) => floodHttp({ port: ports.readOnly, isTls: false }, flood, attackMs),
  })),
  {
    name: 'HTTP server: 1200 connections with half of a request',
    run: async ({ ports }) => (await openIdle(ports.readOnly, 1_200, Buffer.from('GET / HTTP/1.1\r\nHost'))).close(),
  },
  {
    name: 'HTTPS server: 1200 connections with half of a handshake',
    run: async ({ ports }) => (await openIdle(ports.https, 1_200, Buffer.of(0x16, 3, 1, 0x40, 0))).close(),
  },
];

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, write: { type: 'boolean', default: false } } });
const rows = [
  '| attack | memory, MiB | longest turn of the event loop, ms | 99 % of turns, ms | slowest file operation, ms |',
  '| --- | --- | --- | --- | --- |',
];
const victim = await startVictim();
for (const { name, run } of attacks.filter((attack) => attack.name.includes(values.only))) {
  const readings = await victim.measure(() => run(victim).then(() => {}));
  rows.push(row(name, readings));
  console.log(rows.at(-1));
}
await victim.stop();
if (values.write) {
  const { date, commit } = runFacts();
  recordRun('attacks:measure', [`On ${date} at ${commit}:`, '', ...rows].join('\n'));
}

function row(name: string, { memoryMiB, loopMaxMs, loopP99Ms, filesMaxMs }: Readings): string {
  return `| ${[name, memoryMiB, loopMaxMs, loopP99Ms, filesMaxMs].join(' | ')} |`;
}
