import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { serveUpgrades, spdyHeaders, type TestServer, upgraded, webSocketHeaders } from '../test-connections.js';
import { createWebSocket } from '../websocket/connection.js';
import { acceptRemoteCommand, type UpgradeRequest } from './accept.js';
import { formatCommandEnd, parseCommandEnd } from './exit-status.js';
import { type OpenedCommand, openHeaders, openRemoteCommand } from './open.js';
import type { RemoteCommand, RemoteCommandStreams, TerminalSize } from './streams.js';

const servers: TestServer[] = [];
afterEach(() => {
  for (const { close } of servers.splice(0)) close();
});

const all: RemoteCommandStreams = { stdin: true, stdout: true, stderr: true, tty: false };
const terminal: RemoteCommandStreams = { stdin: true, stdout: true, stderr: false, tty: true };

/** A server whose commands a test plays. */
async function serve(
  requested: RemoteCommandStreams,
  play: (command: RemoteCommand) => Promise<void>,
  onError: (error: unknown) => void = () => {},
) {
  const server = await serveUpgrades((client) => {
    client.socket.on('error', () => {});
    acceptRemoteCommand(client, requested, systemClock).then(play).catch(onError);
  });
  servers.push(server);
  return server.url;
}

const overSpdy = async (url: URL, requested: RemoteCommandStreams): Promise<OpenedCommand> =>
  openRemoteCommand(await upgraded(url, openHeaders), requested);

/** A client of the channels, as browsers and kubectl are. */
async function overWebSocket(url: URL, ...protocols: string[]) {
  const { socket, head, answer } = await upgraded(url, webSocketHeaders(...protocols));
  const connection = createWebSocket({ socket, head, role: 'client' });
  const received: Record<number, string> = {};
  const ended = (async () => {
    let channel = 0;
    for await (const { first, data } of connection.messages()) {
      if (first) channel = data[0] as number;
      received[channel] = (received[channel] ?? '') + data.subarray(first ? 1 : 0).toString('latin1');
    }
  })();
  const send = (channel: number, data: string | Buffer) => connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
  return { socket, protocol: answer.headers['sec-websocket-protocol'], received, ended, send };
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Gives standard input back on standard output, its length on standard error. */
async function echo(command: RemoteCommand): Promise<void> {
  const input = await buffer(command.stdin as Readable);
  command.stdout?.write(input);
  command.stderr?.write(`${input.length}`);
  await command.finish(formatCommandEnd({ exitCode: 7 }));
}

describe('a remote command', () => {
  it('over SPDY transfers its streams and their ends', async () => {
    const command = await overSpdy(await serve(all, echo), all);
    const input = randomBytes(5_000_000);
    command.stdin?.end(input);
    const [out, errors, status] = await Promise.all([
      buffer(command.stdout as Readable),
      buffer(command.stderr as Readable),
      command.ended,
    ]);
    expect(sha(out)).toBe(sha(input));
    expect(errors.toString()).toBe('5000000');
    expect(parseCommandEnd(status)).toEqual({ exitCode: 7 });
    command.close();
  });

  it('over SPDY takes all of standard input from a client that ends it when the server does, as kubectl', async () => {
    const command = await overSpdy(await serve(all, echo), all);
    const stdin = command.stdin as Duplex;
    let isEnded = false;
    stdin.once('end', () => {
      isEnded = true;
    });
    for (let sent = 0; sent < 20 && !isEnded; sent++) {
      stdin.write(Buffer.alloc(100_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stdin.end();
    command.stdout?.resume();
    expect((await buffer(command.stderr as Readable)).toString()).toBe('2000000');
    expect(parseCommandEnd(await command.ended)).toEqual({ exitCode: 7 });
    await expect.poll(() => isEnded).toBe(true);
    command.close();
  });

  it('over a WebSocket of version 5 transfers its streams and the end of standard input', async () => {
    const client = await overWebSocket(await serve(all, echo), 'v4.channel.k8s.io', 'v5.channel.k8s.io');
    expect(client.protocol).toBe('v5.channel.k8s.io');
    const input = randomBytes(3_000_000);
    for (let at = 0; at < input.length; at += 100_000) client.send(0, input.subarray(at, at + 100_000));
    client.send(255, Buffer.from([0]));
    await client.ended;
    expect(sha(Buffer.from(client.received[1] ?? '', 'latin1'))).toBe(sha(input));
    expect(client.received[2]).toBe('3000000');
    expect(parseCommandEnd(client.received[3] ?? '')).toEqual({ exitCode: 7 });
  });

  it('over a WebSocket of version 4 cannot end standard input', async () => {
    const url = await serve(all, async (command) => {
      const first = await once(command.stdin as Readable, 'data');
      command.stdout?.write(`${first}`);
      await command.finish(formatCommandEnd({ exitCode: 0 }));
    });
    const client = await overWebSocket(url, 'v4.channel.k8s.io');
    client.send(255, Buffer.from([0]));
    client.send(0, 'hello');
    await client.ended;
    expect(client.received[1]).toBe('hello');
    expect(parseCommandEnd(client.received[3] ?? '')).toEqual({ exitCode: 0 });
  });

  it('on a terminal reports each size, and the newest one to a later listener', async () => {
    const sizes: TerminalSize[] = [];
    const url = await serve(terminal, async (command) => {
      command.onResize((size) => sizes.push(size));
      for await (const word of command.stdin as Readable) if (`${word}`.includes('enough')) break;
      const late: TerminalSize[] = [];
      command.onResize((size) => late.push(size));
      command.stdout?.write(JSON.stringify(late));
      await command.finish(formatCommandEnd({ exitCode: 0 }));
    });
    const expected = [
      { Width: 80, Height: 24 },
      { Width: 100, Height: 50 },
    ];
    const command = await overSpdy(url, terminal);
    for (const size of expected) command.resize(size);
    command.stdin?.write('enough');
    expect((await buffer(command.stdout as Readable)).toString()).toBe(JSON.stringify([expected[1]]));
    expect(sizes).toEqual(expected);

    sizes.length = 0;
    const client = await overWebSocket(url, 'v5.channel.k8s.io');
    for (const size of [...expected, { Width: -1, Height: 2 }, { Width: 1 }]) client.send(4, JSON.stringify(size));
    client.send(4, 'nonsense');
    client.send(0, 'enough');
    await client.ended;
    expect(client.received[1]).toBe(JSON.stringify([expected[1]]));
    expect(sizes).toEqual(expected);
  });

  it('aborts its signal when the client disconnects, also without a pending read', async () => {
    let commands = 0;
    let disconnects = 0;
    const url = await serve({ ...all, stdin: false }, async (command) => {
      commands++;
      command.signal.addEventListener('abort', () => disconnects++);
      const output = setInterval(() => command.stdout?.writable && command.stdout.write('x'), 5);
      await once(command.signal, 'abort').finally(() => clearInterval(output));
      await command.finish('');
    });
    const client = await overWebSocket(url, 'v5.channel.k8s.io');
    client.socket.resetAndDestroy();
    await client.ended.catch(() => {});
    const { socket } = await upgraded(url, openHeaders);
    openRemoteCommand({ socket }, { ...all, stdin: false });
    await expect.poll(() => commands).toBe(2);
    socket.resetAndDestroy();
    await expect.poll(() => disconnects).toBe(2);
  });

  it('has no status if the connection is lost', async () => {
    const url = await serve(all, async () => {});
    const { socket } = await upgraded(url, openHeaders);
    const command = openRemoteCommand({ socket }, all);
    command.stdout?.resume();
    command.stderr?.resume();
    socket.destroy();
    expect(parseCommandEnd(await command.ended)).toEqual({ error: 'the connection ended without a status' });
  });

  it.each([
    ['a WebSocket of an old version', webSocketHeaders('channel.k8s.io'), 403],
    [
      'a WebSocket without a key',
      webSocketHeaders('v5.channel.k8s.io').map((each) => (each === 'AAAAAAAAAAAAAAAAAAAAAA==' ? '' : each)),
      400,
    ],
    ['SPDY of an old version', spdyHeaders('v3.channel.k8s.io'), 403],
    ['another protocol', ['Connection', 'Upgrade', 'Upgrade', 'h2c'], 400],
  ])('refuses %s', async (_what, headers, status) => {
    let refusal: unknown;
    const url = await serve(
      all,
      async () => {},
      (error) => {
        refusal = error;
      },
    );
    void upgraded(url, headers).catch(() => {});
    await expect.poll(() => refusal).toMatchObject({ code: 'UpgradeUnacceptable', details: { status } });
  });

  it('waits 30 s for the streams of a SPDY client', async () => {
    const clock = createVirtualClock();
    let refusal: unknown;
    let accepted: UpgradeRequest | undefined;
    const server = await serveUpgrades((client) => {
      accepted = client;
      acceptRemoteCommand(client, all, clock).catch((error) => {
        refusal = error;
      });
    });
    servers.push(server);
    const { socket } = await upgraded(server.url, openHeaders);
    openRemoteCommand({ socket }, { ...all, stderr: false });
    await expect.poll(() => accepted).toBeDefined();
    await clock.advance(29_999);
    expect(refusal).toBeUndefined();
    await clock.advance(1);
    await expect.poll(() => refusal).toMatchObject({ message: expect.stringMatching(/^timed out waiting for streams: .*stderr/) });
  });
});

describe('the end of a command', () => {
  it('is encoded and decoded', () => {
    expect(formatCommandEnd({ exitCode: 0 })).toBe('{"metadata":{},"status":"Success"}');
    expect(JSON.parse(formatCommandEnd({ exitCode: 3 }))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    for (const end of [{ exitCode: 0 }, { exitCode: 255 }, { error: 'no such file' }])
      expect(parseCommandEnd(formatCommandEnd(end))).toEqual(end);
    expect(parseCommandEnd('plain text')).toEqual({ error: 'plain text' });
  });
});
