import { onTestFinished } from 'vitest';
import { createGrpcClient, type GrpcClient } from '../src/client/client.js';
import type { GrpcClientOptions } from '../src/client/client-options.js';
import { grpcFailureOf } from '../src/errors.js';
import type { GrpcCodec, GrpcMethod } from '../src/method.js';

/** Messages are text; undefined cannot be encoded, `broken` cannot be decoded. A server of grpc-js requires text that is not empty. */
const text: GrpcCodec<string> = {
  encode(message) {
    if (message === undefined) throw new TypeError('nothing to encode');
    return Buffer.from(message);
  },
  decode(bytes) {
    const message = Buffer.from(bytes).toString();
    if (message === 'broken') throw new RangeError('no such message');
    return message;
  },
};

export const greet: GrpcMethod<string, string, false> = { path: '/demo.Greeter/Greet', streams: false, request: text, response: text };
export const count: GrpcMethod<string, string, true> = { path: '/demo.Greeter/Count', streams: true, request: text, response: text };

/** A client of the socket for the length of the test. Delays between attempts to connect do not vary. */
export function transportTo(socketPath: string, options: Partial<GrpcClientOptions> = {}): GrpcClient {
  const transport = createGrpcClient({
    ...{ socketPath, maxReceiveMessageBytes: 1024 * 1024, reconnectDelayMs: { min: 100, max: 1000 } },
    ...{ random: () => 0.5, ...options },
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** The error of a call that is expected to fail. */
export function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (response) => {
      throw new Error(`the call succeeded: ${response}`);
    },
    (error: unknown) => error,
  );
}

/** The status and description of a call that is expected to fail: `NotFound: no such pod`. */
export async function statusOf(call: Promise<unknown>): Promise<string> {
  const error = await errorOf(call);
  const failure = grpcFailureOf(error);
  if (failure === undefined) throw error;
  return `${failure.status}: ${failure.description}`;
}
