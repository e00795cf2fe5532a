import { once } from 'node:events';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { connectTo, floodHttp, httpFloods, openIdle, type Target } from './http1/floods.js';
import { clientFloods, serveClientFlood } from './http2/client-floods.js';
import { floodServer, serverFloods } from './http2/server-floods.js';
import type { Readings } from './victim/meter.js';
import { startVictim, type Victim } from './victim/victim.js';

/** How long a flood lasts that the victim endures. */
const floodMs = 100;

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim?.stop());

/** A flood takes 0.1 GiB a second of a victim without bounds. The machine may be busy, so that a turn of the event loop takes long. */
const bounds = (readings: Readings) => ({ hasMemory: readings.memoryMiB < 90, hasTime: readings.loopMaxMs < 10_000 });
const fine = { hasMemory: true, hasTime: true };

const cveOf = (cve: string) => cve && ` (${cve})`;

describe('each gRPC server of the agent', () => {
  it.each(serverFloods('').map(({ name, cve }) => [name, cveOf(cve)]))('stands a flood: %s%s', async (name) => {
    const { cri, deviceRegistration, podResources } = victim.sockets;
    const targets = [
      [cri, '/runtime.v1.RuntimeService/Version'],
      [deviceRegistration, '/v1beta1.Registration/Register'],
      [podResources, '/v1.PodResourcesLister/List'],
    ] as const;
    const readings = await victim.measure(async () => {
      for (const [socket, method] of targets) {
        const flood = serverFloods(method).find((each) => each.name === name);
        if (flood === undefined) throw new Error(`no flood ${name}`);
        const isClosed = await floodServer(socket, flood, flood.closes ? 10_000 : floodMs);
        if (flood.closes) expect(isClosed, socket).toBe(true);
      }
    });
    expect(bounds(readings), JSON.stringify(readings)).toEqual(fine);
  });

  it('holds at most 500 connections', async () => {
    const idle = await openIdle(victim.sockets.podResources, 600, Buffer.alloc(0));
    await expect.poll(idle.open).toBeLessThanOrEqual(500);
    expect(idle.open()).toBeGreaterThan(400);
    idle.close();
  });
});

describe('the client of a runtime', () => {
  it.each(clientFloods.map((flood) => [flood.name, cveOf(flood.cve), flood] as const))(
    'stands a flood: %s%s',
    async (_name, _cve, flood) => {
      const socket = join(victim.devicePlugins, '..', 'hostile.sock');
      const hostile = await serveClientFlood({ path: socket }, flood, flood.cause === undefined ? floodMs : 60_000);
      let error = '';
      const readings = await victim.measure(async () => {
        error = await victim.readEvents(socket);
      });
      hostile.close();
      expect(error).toContain(flood.cause ?? 'Connection dropped');
      expect(bounds(readings), JSON.stringify(readings)).toEqual(fine);
    },
  );
});

it('a gRPC probe fails while its server floods it', async () => {
  const readings = await victim.measure(async () => {
    for (const flood of clientFloods) {
      const port = await freePort();
      const hostile = await serveClientFlood({ port }, flood, floodMs);
      expect(await victim.probe(port), flood.name).toBe('failure');
      hostile.close();
    }
  });
  expect(bounds(readings), JSON.stringify(readings)).toEqual(fine);
});

describe('each HTTP listener', () => {
  const targets = (): Target[] => [
    { port: victim.ports.https, isTls: true },
    { port: victim.ports.readOnly, isTls: false },
    { port: victim.ports.healthz, isTls: false },
  ];

  it.each(httpFloods.map((flood) => [flood.name, cveOf(flood.cve), flood] as const))(
    'closes a connection with a flood: %s%s',
    async (_name, _cve, flood) => {
      const readings = await victim.measure(async () => {
        for (const target of targets()) expect(await floodHttp(target, flood, 10_000), `${target.port}`).toBe(true);
      });
      expect(bounds(readings), JSON.stringify(readings)).toEqual(fine);
    },
  );

  it('holds 1000 connections that send half of a request (slowloris) or of a TLS handshake, and serves others', async () => {
    const half = { tls: Buffer.of(0x16, 3, 1, 0x40, 0), plain: Buffer.from('GET /healthz HTTP/1.1\r\nHost') };
    const readings = await victim.measure(async () => {
      for (const target of targets().slice(0, 2)) {
        const idle = await openIdle(target.port, 1_020, target.isTls ? half.tls : half.plain);
        await expect.poll(idle.open).toBeLessThanOrEqual(1_000);
        expect(await firstLine(target)).toMatch(/^HTTP\/1.1 (200 OK|401 Unauthorized)$/);
        idle.close();
      }
    });
    expect(bounds(readings), JSON.stringify(readings)).toEqual(fine);
  });

  it('renegotiates TLS 1.2 three times at most (CVE-2011-1473)', async () => {
    const socket = connectTls({ port: victim.ports.https, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
    socket.on('error', () => {}).resume();
    const closed = once(socket, 'close');
    await once(socket, 'secureConnect');
    let count = -1;
    const again = () => {
      count++;
      socket.renegotiate({}, (error) => error === null && again());
    };
    again();
    await closed;
    expect(count).toBe(3);
  });
});

async function firstLine(target: Target): Promise<string | undefined> {
  const socket = connectTo(target);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const piece of socket) text += piece;
  return text.split('\r\n')[0];
}
