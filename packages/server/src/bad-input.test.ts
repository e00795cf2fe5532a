import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createConnectionLimit } from './http/connection-limit.js';
import { listen } from './http/listener.js';
import { createTestServers, podOf } from './test-server.js';

const { admin, ask, serve, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
afterEach(stopAll);

const readOnly = { port: 0, address: '127.0.0.1' };

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

/** The response to these bytes, which end the client's side of the connection. */
async function answerTo(port: number, bytes: Buffer | string): Promise<string> {
  const socket = await connected(port);
  socket.end(bytes);
  return text(socket).catch(() => 'broken off');
}

const statusOf = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];

describe('an invalid request', () => {
  it.each([
    ['no method', ' /pods HTTP/1.1\r\nHost: n\r\n\r\n', '400'],
    ['an unknown method', 'STEAL /pods HTTP/1.1\r\nHost: n\r\n\r\n', '400'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['a path with a control character', 'GET /po\u0001ds HTTP/1.1\r\nHost: n\r\n\r\n', '400'],
    ['a path that cannot be decoded', 'GET /%c3%28 HTTP/1.1\r\nHost: n\r\n\r\n', '400'],
    ['a whole address', 'GET http://n/pods HTTP/1.1\r\nHost: n\r\n\r\n', '400'],
    ['no host', 'GET /pods HTTP/1.1\r\n\r\n', '400'],
    ['a header without a name', 'GET /pods HTTP/1.1\r\nHost: n\r\n: x\r\n\r\n', '400'],
    ['a broken line', 'GET /pods HTTP/1.1\r\nHost: n\rX: y\r\n\r\n', '400'],
    ['two lengths', 'POST /stats/summary HTTP/1.1\r\nHost: n\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', '400'],
    ['a length and chunks', 'GET /pods HTTP/1.1\r\nHost: n\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', '400'],
    ['a path beyond the limit', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: n\r\n\r\n`, '431'],
    ['headers beyond the limit', `GET /pods HTTP/1.1\r\nHost: n\r\n${`X: ${'y'.repeat(60)}\r\n`.repeat(2_000)}\r\n`, '431'],
    ['a token beyond the limit', `GET /pods HTTP/1.1\r\nHost: n\r\nAuthorization: Bearer ${'a'.repeat(70_000)}\r\n\r\n`, '431'],
  ])('%s', async (_what, bytes, status) => {
    const { server } = await serve({ readOnly });
    const port = server.ports.readOnly ?? 0;
    expect(statusOf(await answerTo(port, bytes))).toBe(status);
    expect(statusOf(await answerTo(port, 'GET /pods HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n'))).toBe('200');
  });

  it('of random bytes is refused, and the next request is served (fuzz)', async () => {
    const seed = Math.floor(Date.now() / 1000);
    const random = seededRandom(seed);
    const { server } = await serve({ readOnly });
    const port = server.ports.readOnly ?? 0;
    const parts = [
      'GET',
      'POST',
      ' ',
      '/',
      '/pods',
      '/exec/ns/web/app',
      '%00',
      '%',
      '..',
      '?',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'HTTP/1.1',
      'Host: n',
      ':',
    ];
    const more = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
      '\u0000',
    ];
    const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] as string;
    const noise = () => Buffer.from(Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * 256)));
    const fuzz = () =>
      Buffer.concat(
        Array.from({ length: 1 + Math.floor(random() * 25) }, () => (random() < 0.1 ? noise() : Buffer.from(pick([...parts, ...more])))),
      );
    for (let round = 0; round < 300; round++) {
      const bytes = fuzz();
      const answer = await answerTo(port, bytes);
      const why = `seed ${seed}, round ${round}: ${JSON.stringify(bytes.toString('latin1'))} is answered ${JSON.stringify(answer.slice(0, 200))}`;
      expect(answer === '' || answer === 'broken off' || /^HTTP\/1\.1 [1245]\d\d /.test(answer), why).toBe(true);
      expect(answer, why).not.toContain('Internal Error');
    }
    expect((await ask(port, '/healthz', { secure: false })).body).toBe('ok');
  });
});

describe('a client that sends bytes that are not a request', () => {
  it('gets the response while it sends, and is disconnected half a second later', async () => {
    const clock = createVirtualClock();
    const served: Socket[] = [];
    const connections = { ...createConnectionLimit(10), admit: (socket: Socket) => void served.push(socket) };
    const listener = await listen({ ...readOnly, connections, clock, serve: (_, response) => response.end() });
    const socket = await connected(listener.port);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.write(`GET /pods HTTP/1.1\r\n${`X: ${'y'.repeat(1_000)}\r\n`.repeat(200)}`);
    await once(socket, 'end');
    expect(answer).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n' +
        '431 Request Header Fields Too Large',
    );
    socket.write('more');
    await clock.advance(499);
    expect(served[0]?.destroyed).toBe(false);
    await clock.advance(1);
    expect(served[0]?.destroyed).toBe(true);
    socket.destroy();
    await listener.close();
  });

  it('does not corrupt the response to its previous request', async () => {
    const listener = await listen({
      ...readOnly,
      connections: createConnectionLimit(10),
      serve: (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('half'),
    });
    const socket = await connected(listener.port);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.write('GET /pods HTTP/1.1\r\nHost: n\r\n\r\n');
    await expect.poll(() => answer).toMatch(/half$/);
    socket.once('end', () => socket.end());
    socket.write('no request\r\n\r\n');
    await once(socket, 'close');
    expect(answer).toMatch(/half$/);
    await listener.close();
  });
});

describe('a client that', () => {
  it('never completes its request is disconnected', async () => {
    const listener = await listen({
      ...readOnly,
      connections: createConnectionLimit(10),
      headersTimeout: 50,
      serve: (_request, response) => response.end('served'),
    });
    const socket = await connected(listener.port);
    socket.write('GET /pods HTTP/1.1\r\n');
    const dribble = setInterval(() => socket.write('X: y\r\n'), 10);
    const answer = await text(socket).catch(() => 'broken off');
    clearInterval(dribble);
    expect(statusOf(answer) ?? answer).toMatch(/^(408|broken off)$/);
    await listener.close();
  });

  it('closes its sending side after the request gets its response', async () => {
    const { server } = await serve({ readOnly });
    const answer = await answerTo(server.ports.readOnly ?? 0, 'GET /healthz HTTP/1.1\r\nHost: n\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/);
  });

  it('disconnects before the runtime returned a stream URL cancels the call', async () => {
    let asked: AbortSignal | undefined;
    const never = (signal: AbortSignal) =>
      new Promise<URL>((_resolve, reject) => {
        asked = signal;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const { port } = await serve({
      streaming: {
        execUrl: (_pod, _container, _command, _streams, signal) => never(signal),
        attachUrl: (_pod, _container, _streams, signal) => never(signal),
        portForwardUrl: (_pod, _ports, signal) => never(signal),
      },
    });
    const agent = new (await import('node:https')).Agent({ keepAlive: true });
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    const asking = ask(port, '/exec/ns/web/app?output=1', { client: admin, method: 'POST', headers, agent });
    const left = expect(asking).rejects.toThrow();
    await expect.poll(() => asked).toBeDefined();
    agent.destroy();
    await left;
    await expect.poll(() => asked?.aborted).toBe(true);
  });
});

describe('pods of the same name', () => {
  it('return only their own logs to concurrent clients', async () => {
    const podIn = (namespace: string) => {
      const state = { running: {} };
      const status = { name: 'app', ready: true, restartCount: 0, image: '', imageID: '', containerID: `c://${namespace}`, state };
      const pod = podOf('web', { status: { containerStatuses: [status] } });
      return { ...pod, metadata: { ...pod.metadata, namespace, uid: `uid-${namespace}` } };
    };
    const namespaces = ['a', 'b', 'c'];
    const logs = {
      async *read(containerId: string) {
        for (let line = 0; line < 20; line++) {
          yield Buffer.from(`secret of ${containerId}\n`);
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
    const { port } = await serve({ pods: { pods: () => namespaces.map(podIn) }, logs });
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const namespace = namespaces[index % 3] ?? '';
        return { namespace, ...(await ask(port, `/containerLogs/${namespace}/web/app`, { client: admin })) };
      }),
    );
    for (const { namespace, status, body } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: `secret of c://${namespace}\n`.repeat(20) });
    }
    expect((await ask(port, '/containerLogs/d/web/app', { client: admin })).status).toBe(404);
  });
});
