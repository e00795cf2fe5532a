import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { canRunStreams } from '../test-machine.js';
import { connectInNamespace } from './connect-in-namespace.js';

describe.runIf(canRunStreams)('a connection in a network namespace', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const serve = async (onConnection: (socket: Socket) => void) => {
    const server = createServer({ allowHalfOpen: true }, onConnection);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const connect = (port: number) => connectInNamespace({ sandboxId: 's1', namespace: '/proc/self/ns/net', port }, 'socat');

  it('stays open for what the client sends after the end of the server', async () => {
    let onReceived = (_text: string) => {};
    const received = new Promise<string>((resolve) => {
      onReceived = resolve;
    });
    const port = await serve((socket) => {
      socket.end('bye');
      void text(socket).then(onReceived);
    });
    const stream = await connect(port);
    expect(`${(await once(stream, 'data'))[0]}`).toBe('bye');
    await once(stream, 'end');
    stream.end('late');
    expect(await received).toBe('late');
  });

  it('that the server resets ends, then fails', async () => {
    const port = await serve((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });
    const stream = await connect(port);
    stream.resume();
    stream.write('hello');
    await once(stream, 'end');
    stream.write('more');
    expect(String((await once(stream, 'error'))[0])).toMatch(/write: broken pipe/);
  });

  it('ends for the server when the client disconnects', async () => {
    let onClose = () => {};
    const ended = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const port = await serve((socket) => {
      socket.on('error', () => {});
      socket.once('close', onClose);
      socket.once('end', () => socket.end());
      socket.resume();
    });
    (await connect(port)).destroy();
    await ended;
  });

  it('names a missing namespace', async () => {
    const missing = connectInNamespace({ sandboxId: 's1', namespace: '/no/such/namespace', port: 80 }, 'socat');
    await expect(missing).rejects.toMatchObject({
      code: 'CRI_UNKNOWN',
      message: expect.stringContaining('cannot open /no/such/namespace'),
    });
  });
});
