import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createGrpcClient, type GrpcClient } from '../src/client/client.js';
import type { GrpcCodec, GrpcMethod } from '../src/method.js';
import type { ServedMethod } from '../src/served-method.js';
import { type GrpcServer, type ServeGrpcOptions, serveGrpc } from '../src/server.js';

/** Messages are JSON; undefined cannot be encoded, `"broken"` cannot be decoded. */
const json: GrpcCodec<unknown> = {
  encode(message) {
    if (message === undefined) throw new TypeError('nothing to encode');
    return Buffer.from(JSON.stringify(message));
  },
  decode(bytes) {
    const message: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (message === 'broken') throw new RangeError('no such message');
    return message;
  },
};

export const greet: GrpcMethod<unknown, unknown, false> = { path: '/demo.Greeter/Greet', streams: false, request: json, response: json };
export const count: GrpcMethod<unknown, unknown, true> = { path: '/demo.Greeter/Count', streams: true, request: json, response: json };

/** A path for a socket, in a folder that is removed after the test. */
export function tempSocket(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'g.sock');
}

/** A server of `methods` and a client of it, for the length of the test. */
export async function connected(
  methods: ServedMethod[],
  options: Partial<ServeGrpcOptions> = {},
): Promise<{ server: GrpcServer; client: GrpcClient }> {
  const server = await serveGrpc({ socketPath: tempSocket(), methods, ...options });
  const client = createGrpcClient({ socketPath: server.socketPath });
  onTestFinished(async () => {
    client.close();
    await server.destroy();
  });
  return { server, client };
}

/** A promise that rejects when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
