import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CriClient, type CriClientOptions, createCriClient } from '../src/client.js';
import { type CriImplementation, type ServeCriOptions, serveCri } from '../src/server.js';

/** A path for a socket, in a folder that is removed after the test. */
export function tempSocket(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cri-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'cri.sock');
}

/** A client connected to a server of `implementation`; both are closed after the test. */
export async function connected(
  implementation: CriImplementation,
  client: Partial<CriClientOptions> = {},
  server: Partial<ServeCriOptions> = {},
): Promise<CriClient & { socket: string }> {
  const served = await serveCri(implementation, { socket: tempSocket(), gracePeriodMs: 0, ...server });
  const made = createCriClient({ endpoint: served.socket, ...client });
  onTestFinished(async () => {
    made.close();
    await served.close();
  });
  return { ...made, socket: served.socket };
}

/** All messages of a stream. */
export async function collect<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const message of messages) all.push(message);
  return all;
}
