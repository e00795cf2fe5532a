import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { systemClock } from '@nodeagent/api';
import { afterEach, describe, expect, it } from 'vitest';
import { acceptPortForward, portForwardProtocol } from './port-forward.js';
import { createSpdySession, type SpdySession } from './spdy/session.js';
import { serveUpgrades, spdyHeaders, upgraded } from './test-connections.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Gives everything back, and its end. */
const echoServer = () => createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket).on('error', () => {}));

async function client(): Promise<SpdySession> {
  const server = await serveUpgrades((request) =>
    acceptPortForward(request, {
      clock: systemClock,
      async connect(port) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        await once(socket, 'connect');
        return socket;
      },
    }),
  );
  closers.push(server.close);
  const { socket, head, answer } = await upgraded(server.url, spdyHeaders(portForwardProtocol));
  expect(answer.headers['x-stream-protocol-version']).toBe(portForwardProtocol);
  closers.push(() => socket.destroy());
  return createSpdySession({ socket, head, role: 'client' });
}

/** A connection to a port: its error stream first, as kubectl opens them. */
function open(session: SpdySession, port: number | string, requestid: string) {
  const error = session.open({ streamtype: 'error', port: `${port}`, requestid });
  error.end();
  const data = session.open({ streamtype: 'data', port: `${port}`, requestid });
  return { error, data };
}

describe('port-forward', () => {
  it('forwards several connections concurrently, and closes each separately', async () => {
    const port = await listen(echoServer());
    const session = await client();
    const transfers = Array.from({ length: 8 }, async (_, index) => {
      const { error, data } = open(session, port, `${index}`);
      const sent = randomBytes(1_000_000 + index);
      data.end(sent);
      const [received, problem] = await Promise.all([buffer(data), text(error)]);
      const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      expect(sha(received)).toBe(sha(sent));
      expect(problem).toBe('');
    });
    await Promise.all(transfers);
  });

  it.each([
    ['a port without a listener', 1, 'error forwarding port 1: connect ECONNREFUSED 127.0.0.1:1'],
    ['an invalid port', 'x', 'error forwarding port NaN: "x" is not a port'],
  ])('sends the error of %s', async (_what, port, problem) => {
    const session = await client();
    const { error, data } = open(session, port, '0');
    expect(await text(error)).toBe(problem);
    expect(await text(data)).toBe('');
  });

  it('closes its connections when the client disconnects', async () => {
    const server = echoServer();
    const connected = once(server, 'connection');
    const session = await client();
    const { data } = open(session, await listen(server), '0');
    data.write('hello');
    const [socket] = await connected;
    await once(data, 'data');
    session.close();
    closers.splice(0).forEach((close) => void close());
    await once(socket, 'close');
  });
});
