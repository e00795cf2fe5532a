import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { runProbe } from '@nodeagent/prober';
import { machineProbeNetwork } from '@nodeagent/prober/node';
import { relayUpgrade } from '@nodeagent/streaming';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A port of this machine that no container may reach, such as that of cloud metadata. `reached`: the connections so far. */
async function protectedPort() {
  const state = { port: 0, reached: 0 };
  const server = createServer((socket) => {
    state.reached++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  state.port = (server.address() as AddressInfo).port;
  return state;
}

async function serveHttp(listener: RequestListener): Promise<number> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Spellings of `127.0.0.2`, most of which some URL parser takes for the host of the probe. */
const locations = (port: number, own: number): string[] => [
  ...[
    `http://127.0.0.2:${port}/`,
    `//127.0.0.2:${port}/`,
    `http://0x7f000002:${port}/`,
    `http://2130706434:${port}/`,
    `http://127.2:${port}/`,
  ],
  ...[`http://127.0.0.1@127.0.0.2:${port}/`, `http://127.0.0.1:${own}@127.0.0.2:${port}/`, `http://127.0.0.2:${port}#@127.0.0.1/`],
  ...[`http://127.0.0.2:${port}?@127.0.0.1/`, `http://127.0.0.2:${port}\\@127.0.0.1/`, `/\\127.0.0.2:${port}/`, `\\\\127.0.0.2:${port}/`],
  ...[
    `http:127.0.0.2:${port}/`,
    `http:///127.0.0.2:${port}/`,
    `https://127.0.0.2:${port}/`,
    `http://[::ffff:127.0.0.2]:${port}/`,
    `///127.0.0.2:${port}/`,
  ],
  ...[
    `gopher://127.0.0.2:${port}/`,
    `file:///etc/passwd`,
    `http://127.0.0.2:${port}\t/`,
    `http://127.0.0.2.:${port}/`,
    `HTTP://127.0.0.2:${port}/`,
  ],
];

describe('an HTTP probe', () => {
  it('follows no redirect of a container to another host, however the host is spelled', async () => {
    const target = await protectedPort();
    let location = '';
    const port = await serveHttp((_, response) => response.writeHead(302, { location }).end('moved'));
    for (const each of locations(target.port, port)) {
      location = each;
      await runProbe({ httpGet: { port, path: '/' } }, { host: '127.0.0.1' }, { network: machineProbeNetwork }).catch(() => {});
      expect(target.reached, each).toBe(0);
    }
    // The probe reaches the port, if its redirects may: the port is on the machine.
    await runProbe({ httpGet: { port: target.port, host: '127.0.0.2' } }, {}, { network: machineProbeNetwork }).catch(() => {});
    expect(target.reached).toBe(1);
  });
});

describe('the streaming server of a runtime', () => {
  /** What a client of the node server gets whose stream the runtime redirects, and the connections of the redirect's target. */
  async function redirected(status: number) {
    const target = await protectedPort();
    const location = `http://127.0.0.2:${target.port}/steal`;
    const redirecting = createHttpServer().on('upgrade', (_, socket) => {
      socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
    });
    redirecting.listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const node = createHttpServer().on('upgrade', (request, socket, head) => {
      const { port } = redirecting.address() as AddressInfo;
      relayUpgrade({ request, socket, head, target: new URL(`http://127.0.0.1:${port}/exec/token`) });
    });
    node.listen(0, '127.0.0.1');
    await once(node, 'listening');
    onTestFinished(() => {
      for (const server of [redirecting, node]) server.close().closeAllConnections();
    });
    const client = connect((node.address() as AddressInfo).port, '127.0.0.1');
    client.write(
      'POST /exec/ns/web/app HTTP/1.1\r\nHost: n1\r\nAuthorization: Bearer secret\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
    );
    return { answer: await text(client), reached: target.reached };
  }

  it.each([200, 301, 302, 303, 307, 308])(
    'redirects neither the agent nor the API server by status %d (CVE-2020-8559, CVE-2018-1002102)',
    async (status) => {
      const { answer, reached } = await redirected(status);
      expect(reached).toBe(0);
      expect(answer).toMatch(/^HTTP\/1\.1 500 /);
      expect(answer).toContain(`invalid upgrade response: status code ${status}\n`);
      expect(answer).not.toMatch(/location/i);
    },
  );
});
