import { duplexPair } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createSpdySession, type SpdyStream } from './session.js';

function connectedSessions() {
  const [clientSocket, serverSocket] = duplexPair();
  const served: SpdyStream[] = [];
  const client = createSpdySession({ socket: clientSocket, role: 'client' });
  createSpdySession({ socket: serverSocket, role: 'server', onStream: (stream) => void served.push(stream) });
  onTestFinished(() => client.close());
  return { client, served };
}

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
  await expect.poll(() => hasEnded, { timeout: 5_000 }).toBe(true);
  expect(served).toHaveLength(1_000);

  opened[0]?.destroy();
  await expect.poll(() => served[0]?.readableEnded || served[0]?.destroyed || served[0]?.readableLength === 0).toBe(true);
  served[0]?.destroy();
  client.open({ streamid: 'instead' });
  await expect.poll(() => served.at(-1)?.headers).toEqual({ streamid: 'instead' });
});
