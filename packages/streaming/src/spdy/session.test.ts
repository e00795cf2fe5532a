import { duplexPair } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createSpdySession } from './session.js';
import type { SpdyStream } from './stream.js';

function connectedSessions() {
  const [clientSocket, serverSocket] = duplexPair();
  const served: SpdyStream[] = [];
  const client = createSpdySession({ socket: clientSocket, role: 'client' });
  createSpdySession({ socket: serverSocket, role: 'server', onStream: (stream) => void served.push(stream) });
  onTestFinished(() => client.close());
  return { client, served };
}

it.each(['before its data', 'while the connection waits for its reader'])(
  'continues with the other streams when one is destroyed unread %s',
  async (when) => {
    const { client, served } = connectedSessions();
    const [abandoned, other] = [client.open({ streamid: 'abandoned' }), client.open({ streamid: 'other' })];
    await expect.poll(() => served.length).toBe(2);
    const chunk = Buffer.alloc(16_384, 'x');
    for (let sent = 0; sent < 64; sent++) abandoned.write(chunk);
    if (when === 'while the connection waits for its reader')
      await expect.poll(() => served[0]?.readableLength ?? 0).toBeGreaterThan(16_383);
    served[0]?.destroy();
    other.end('hello');
    const read: Buffer[] = [];
    served[1]?.on('data', (bytes: Buffer) => read.push(bytes));
    await expect.poll(() => Buffer.concat(read).toString()).toBe('hello');
  },
);

it('refuses streams beyond 1000 at a time, and accepts one again when another has ended', async () => {
  const { client, served } = connectedSessions();
  const opened = Array.from({ length: 1_000 }, (_, index) => client.open({ streamid: String(index) }));
  await expect.poll(() => served.length).toBe(1_000);

  const refused = client.open({ streamid: 'one too many' });
  let hasEnded = false;
  refused.once('end', () => {
    hasEnded = true;
  });
  refused.resume();
  await expect.poll(() => hasEnded).toBe(true);
  expect(served).toHaveLength(1_000);

  opened[0]?.destroy();
  await expect.poll(() => served[0]?.readableEnded || served[0]?.destroyed || served[0]?.readableLength === 0).toBe(true);
  served[0]?.destroy();
  client.open({ streamid: 'instead' });
  await expect.poll(() => served.at(-1)?.headers).toEqual({ streamid: 'instead' });
});
