import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request as requestHttp, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { relayUpgrade } from './relay-upgrade.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

/** A runtime's streaming server whose upgraded connections a test answers by hand. */
async function runtime(onUpgrade: (socket: Socket, request: IncomingMessage, head: Buffer) => void): Promise<{ url: URL; server: Server }> {
  const server = createHttpServer((request, response) => {
    response.writeHead(404, { 'content-type': 'text/plain' }).end(`no such stream: ${request.url}`);
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    socket.on('error', () => {});
    onUpgrade(socket, request, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: new URL(`http://127.0.0.1:${portOf(server)}/exec/token?a=1`), server };
}

/** The server in between. */
async function relay(target: URL, signal?: AbortSignal): Promise<number> {
  const server = createHttpServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request, socket, head) => relayUpgrade({ request, socket, head, target, ...(signal && { signal }) }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return portOf(server);
}

const accept = (socket: Socket) =>
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Odd: yes\r\n\r\n');

/** A client whose connection is upgraded already. */
async function upgraded(port: number, headers: Record<string, string> = {}): Promise<{ socket: Socket; answer: IncomingMessage }> {
  const request = requestHttp({
    port,
    method: 'POST',
    path: '/exec/ns/pod/c?command=ls',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', ...headers },
    createConnection: () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
  });
  request.end();
  const [answer, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  closers.push(() => socket.destroy());
  return { socket, answer };
}

function readAll(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  return new Promise((resolve) => socket.once('end', () => resolve(Buffer.concat(pieces))));
}

const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('relayUpgrade', () => {
  it("forwards the request with the target's host and without credentials, and returns the response", async () => {
    let seen: IncomingMessage | undefined;
    const { url } = await runtime((socket, request) => {
      seen = request;
      accept(socket);
    });
    const { answer } = await upgraded(await relay(url), {
      authorization: 'Bearer secret',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
      'x-forwarded-for': '192.0.2.1',
    });
    expect(answer.statusCode).toBe(101);
    expect(answer.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-odd': 'yes' });
    expect(seen?.method).toBe('POST');
    expect(seen?.url).toBe('/exec/token?a=1');
    expect(seen?.headers).toMatchObject({ host: url.host, upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    expect(seen?.headers.authorization).toBeUndefined();
    expect(seen?.headers['x-forwarded-for']).toMatch(/^192\.0\.2\.1, (::ffff:)?127\.0\.0\.1$/);
  });

  it('transfers 32 MiB in both directions concurrently, and ends each direction separately', async () => {
    const sent = randomBytes(32 * 1024 * 1024);
    const returned = randomBytes(32 * 1024 * 1024);
    let received: Promise<Buffer> | undefined;
    const { url } = await runtime((socket) => {
      accept(socket);
      received = readAll(socket);
      void received.then(() => socket.end(returned));
    });
    const { socket } = await upgraded(await relay(url));
    socket.end(sent);
    expect(sha(await readAll(socket))).toBe(sha(returned));
    expect(sha((await received) as Buffer)).toBe(sha(sent));
  });

  it('applies back-pressure to the writer', async () => {
    let writer: Socket | undefined;
    const { url } = await runtime((socket) => {
      accept(socket);
      writer = socket;
    });
    const { socket } = await upgraded(await relay(url));
    socket.pause();
    let accepted = 0;
    const piece = Buffer.alloc(1024 * 1024);
    while (accepted < 200) {
      accepted++;
      if (writer?.write(piece)) continue;
      const drained = await Promise.race([once(writer as Socket, 'drain').then(() => true), sleep(300).then(() => false)]);
      if (!drained) break;
    }
    expect(accepted).toBeLessThan(100);
    socket.resume();
    await once(writer as Socket, 'drain');
  });

  it('returns a response without an upgrade, and sends no further bytes to the target', async () => {
    const { url, server } = await runtime(() => {});
    server.removeAllListeners('upgrade');
    let requests = 0;
    server.on('request', () => requests++);
    const client = connect(await relay(url), '127.0.0.1');
    client.write('GET /exec HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    client.write('GET /smuggled HTTP/1.1\r\nHost: node\r\n\r\n');
    const text = (await readAll(client)).toString();
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(text).toContain('Connection: close\r\n');
    expect(text.endsWith('no such stream: /exec/token?a=1')).toBe(true);
    expect(text).not.toContain('smuggled');
    expect(requests).toBe(1);
  });

  it('answers 500 if the target cannot be reached', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const port = portOf(free);
    free.close();
    const client = connect(await relay(new URL(`http://127.0.0.1:${port}/exec/token`)), '127.0.0.1');
    client.write('GET /exec HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const text = (await readAll(client)).toString();
    expect(text).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(text).toContain('ECONNREFUSED');
  });

  it('resets the other connection when one is reset, in both directions', async () => {
    const errors: unknown[] = [];
    let other: Socket | undefined;
    const { url } = await runtime((socket) => {
      accept(socket);
      other = socket;
      socket.on('error', (error) => errors.push(error));
      socket.resume();
    });
    const port = await relay(url);
    const first = await upgraded(port);
    first.socket.resetAndDestroy();
    await closed(other as Socket);
    expect(errors).toMatchObject([{ code: 'ECONNRESET' }]);

    const second = await upgraded(port);
    const broken = once(second.socket, 'error');
    second.socket.on('error', () => {});
    second.socket.resume();
    other?.resetAndDestroy();
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  it('disconnects from a target without a response when the client disconnects or the signal aborts', async () => {
    const upgrades: Socket[] = [];
    const { url } = await runtime((socket) => {
      upgrades.push(socket.resume());
      socket.on('end', () => socket.end());
    });
    const stop = new AbortController();
    const client = connect(await relay(url, stop.signal), '127.0.0.1');
    client.on('error', () => {});
    client.write('GET /exec HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    while (upgrades.length === 0) await sleep(5);
    const closed = once(upgrades[0] as Socket, 'close');
    stop.abort();
    await closed;
    await once(client, 'close');
  });

  it('forwards the bytes that arrive with the heads of request and response', async () => {
    let got: Promise<Buffer> | undefined;
    const { url } = await runtime((socket, _request, head) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nearly answer');
      socket.unshift(head);
      got = readAll(socket);
      void got.then(() => socket.end());
    });
    const client = connect({ port: await relay(url), host: '127.0.0.1', allowHalfOpen: true });
    client.end('GET / HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nearly words');
    expect((await readAll(client)).toString().split('\r\n\r\n')[1]).toBe('early answer');
    expect((await (got as Promise<Buffer>)).toString()).toBe('early words');
  });
});
