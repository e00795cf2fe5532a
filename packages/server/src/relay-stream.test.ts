import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '@nodeagent/api';
import {
  acceptPortForward,
  acceptRemoteCommand,
  createSpdySession,
  createWebSocket,
  dialUpgrade,
  formatCommandEnd,
  openHeaders,
  openRemoteCommand,
  parseCommandEnd,
  type RemoteCommand,
  type UpgradeRequest,
} from '@nodeagent/streaming';
import { afterEach, describe, expect, it } from 'vitest';
import { relayStream } from './relay-stream.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const streams = { stdin: true, stdout: true, stderr: true, tty: false };
const terminal = { stdin: true, stdout: true, stderr: false, tty: true };

async function listen(onUpgrade: (client: UpgradeRequest) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server: Server = createHttpServer((_request, response) => response.writeHead(404).end('not found'));
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.on('upgrade', (request, socket, head) => onUpgrade({ request, socket, head }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

/** A kubelet before a runtime that plays a command, over SPDY only as runtimes do. */
async function kubelet(play: (command: RemoteCommand) => Promise<void>, wanted = streams): Promise<URL> {
  const runtime = await listen((client) => {
    expect(client.request.headers.upgrade).toBe('SPDY/3.1');
    // What fails here shows at the client.
    acceptRemoteCommand(client, wanted, systemClock)
      .then(play)
      .catch(() => {});
  });
  return listen((client) => relayStream({ ...client, target: runtime, streams: wanted }));
}

async function webSocket(target: URL, protocol: string, key = 'AAAAAAAAAAAAAAAAAAAAAA==') {
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13', 'Sec-WebSocket-Key', key];
  const answered = await dialUpgrade({ target, headers: [...headers, 'Sec-WebSocket-Protocol', protocol] });
  if (answered.socket === undefined) throw new Error(`status ${answered.answer.statusCode}`);
  expect(answered.answer.headers['sec-websocket-protocol']).toBe(protocol);
  const { socket, head } = answered;
  return { socket, connection: createWebSocket({ socket, head, role: 'client' }) };
}

async function command(target: URL) {
  const { socket, connection } = await webSocket(target, 'v5.channel.k8s.io');
  const received: Record<number, Buffer[]> = {};
  const ended = (async () => {
    let channel = 0;
    for await (const { first, data } of connection.messages()) {
      if (first) channel = data[0] as number;
      received[channel] = [...(received[channel] ?? []), Buffer.from(data.subarray(first ? 1 : 0))];
    }
  })().catch(() => {});
  const send = (channel: number, data: string | Buffer) => connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
  const text = (channel: number) => Buffer.concat(received[channel] ?? []).toString('latin1');
  return { socket, send, text, ended };
}

const sha = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

async function echo(command: RemoteCommand): Promise<void> {
  const input = await buffer(command.stdin as Readable);
  command.stderr?.write(`${input.length}`);
  command.stdout?.write(input);
  await command.finish(formatCommandEnd({ exitCode: 4 }));
}

describe('relayStream', () => {
  it('translates a WebSocket of protocol version 5, including the end of input', async () => {
    const client = await command(await kubelet(echo));
    const input = randomBytes(4_000_000);
    for (let at = 0; at < input.length; at += 50_000) client.send(0, input.subarray(at, at + 50_000));
    client.send(255, Buffer.from([0]));
    await client.ended;
    expect(sha(Buffer.from(client.text(1), 'latin1'))).toBe(sha(input));
    expect(client.text(2)).toBe('4000000');
    expect(parseCommandEnd(client.text(3))).toEqual({ exitCode: 4 });
  });

  it('translates a terminal and its sizes', async () => {
    const url = await kubelet(async (command) => {
      const size = await new Promise((resolve) => command.onResize(resolve));
      command.stdout?.write(JSON.stringify(size));
      await command.finish(formatCommandEnd({ exitCode: 0 }));
    }, terminal);
    const client = await command(url);
    client.send(4, '{"Width":90,"Height":33}');
    await client.ended;
    expect(client.text(1)).toBe('{"Width":90,"Height":33}');
    expect(parseCommandEnd(client.text(3))).toEqual({ exitCode: 0 });
  });

  it('relays the bytes of a SPDY client unchanged', async () => {
    const answered = await dialUpgrade({ target: await kubelet(echo), method: 'POST', headers: openHeaders });
    const opened = openRemoteCommand(answered as Extract<typeof answered, { head: Buffer }>, streams);
    opened.stdin?.end('hello');
    opened.stderr?.resume();
    expect((await buffer(opened.stdout as Readable)).toString()).toBe('hello');
    expect(parseCommandEnd(await opened.ended)).toEqual({ exitCode: 4 });
    opened.close();
  });

  it('ends the command when the client disconnects, and reports to the client when the runtime disconnects', async () => {
    let started: RemoteCommand | undefined;
    const url = await kubelet(async (command) => {
      started = command;
      await once(command.signal, 'abort');
    });
    const client = await command(url);
    await expect.poll(() => started).toBeDefined();
    client.socket.destroy();
    await expect.poll(() => started?.signal.aborted).toBe(true);
    await client.ended;

    let runtimeSocket: Duplex | undefined;
    const runtime = await listen((request) => {
      runtimeSocket = request.socket;
      void acceptRemoteCommand(request, streams, systemClock).catch(() => {});
    });
    const other = await command(await listen((request) => relayStream({ ...request, target: runtime, streams })));
    runtimeSocket?.destroy();
    await other.ended;
    expect(parseCommandEnd(other.text(3))).toEqual({ error: 'the connection ended without a status' });
  });

  it('closes a WebSocket if the status of the command cannot be sent, and writes no HTTP into it', async () => {
    const runtime = await listen((client) => void acceptRemoteCommand(client, streams, systemClock).then(echo));
    let written = '';
    const url = await listen((client) => {
      const write = client.socket.write.bind(client.socket) as (...args: unknown[]) => boolean;
      client.socket.write = (data: Buffer | string, ...rest: unknown[]) => {
        if (data.includes('ExitCode')) throw new Error('the status cannot be sent');
        written += data.toString('latin1');
        return write(data, ...rest);
      };
      relayStream({ ...client, target: runtime, streams });
    });
    const client = await command(url);
    client.send(0, 'hello');
    client.send(255, Buffer.from([0]));
    await client.ended;
    expect(client.text(1)).toBe('hello');
    expect(client.text(3)).toBe('');
    expect(written.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 101']);
  });

  it('applies back-pressure to a command while its WebSocket client does not read', async () => {
    let stdout: Writable | undefined;
    const url = await kubelet(async (command) => {
      stdout = command.stdout;
      await once(command.signal, 'abort');
    });
    const { socket } = await webSocket(url, 'v5.channel.k8s.io');
    await expect.poll(() => stdout).toBeDefined();
    const piece = Buffer.alloc(1024 * 1024);
    let taken = 0;
    const write = () => stdout?.write(piece, (error) => void (error || ++taken > 200 || write()));
    write();
    let before = -1;
    const isStill = () => {
      const still = taken === before;
      before = taken;
      return still;
    };
    await expect.poll(isStill, { interval: 300 }).toBe(true);
    expect(taken).toBeLessThan(100);
    socket.destroy();
  });

  it('returns refusals of the runtime, and refuses invalid WebSocket handshakes', async () => {
    const refusing = createHttpServer((_request, response) => response.writeHead(404).end('not found'));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    closers.push(() => refusing.close());
    const target = new URL(`http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`);
    await expect(command(await listen((client) => relayStream({ ...client, target, streams })))).rejects.toThrow('status 404');
    await expect(webSocket(await kubelet(echo), 'v5.channel.k8s.io', 'short')).rejects.toThrow('status 400');
    const runtime = await listen((client) => client.socket.write('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n'));
    const forwarding = await listen((client) => relayStream({ ...client, target: runtime }));
    await expect(webSocket(forwarding, 'SPDY/3.1+portforward.k8s.io', 'short')).rejects.toThrow('status 400');
  });

  it('unpacks a port-forward that is tunnelled through WebSocket messages', async () => {
    const service = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    closers.push(() => service.close());
    const port = `${(service.address() as AddressInfo).port}`;
    const runtime = await listen((client) =>
      acceptPortForward(client, {
        clock: systemClock,
        async connect(number) {
          const socket = connect({ port: number, host: '127.0.0.1', allowHalfOpen: true });
          await once(socket, 'connect');
          return socket;
        },
      }),
    );
    const { connection } = await webSocket(
      await listen((client) => relayStream({ ...client, target: runtime })),
      'SPDY/3.1+portforward.k8s.io',
    );
    const messages = connection.messages();
    const tunnel = new Duplex({
      write: (data: Buffer, _encoding, done) => connection.send(data, done),
      final(done) {
        connection.close();
        done();
      },
      read() {
        messages.next().then(
          ({ value, done }) => tunnel.push(done ? null : value.data),
          (error) => tunnel.destroy(error),
        );
      },
    });
    const session = createSpdySession({ socket: tunnel, role: 'client' });
    const sent = randomBytes(5_000_000);
    session.open({ streamtype: 'error', port, requestid: '0' }).end();
    const data = session.open({ streamtype: 'data', port, requestid: '0' });
    data.end(sent);
    expect(sha(await buffer(data))).toBe(sha(sent));
    session.close();
    await session.closed;
  });
});
