import { type CallOptions as GrpcOptions, Metadata } from '@grpc/grpc-js';
import { errorMessage } from '@nodeagent/api';
import type { Connection } from './connection.js';
import { criError } from './errors.js';
import type { CriMethodCodec } from './method.js';

/** What one call needs beside its method and request. */
export interface UnaryCallContext {
  connection: Connection;
  grpcOptions: GrpcOptions;
  signal: AbortSignal | undefined;
  /** The error to fail with, from gRPC's. */
  failed(error: unknown): unknown;
}

/** gRPC gets requests encoded: one that cannot be fails with its own error, before anything is sent. */
export const asIs = (bytes: Buffer): Buffer => bytes;

export function encodeRequest<Request>(method: CriMethodCodec<Request, unknown, boolean>, request: Request): Buffer {
  try {
    return method.request.encode(request);
  } catch (cause) {
    throw criError('CRI_INVALID_ARGUMENT', `${method.name}: ${errorMessage(cause)}`, { details: { method: method.name }, cause });
  }
}

/** Has `cancel` called when the signal aborts or the connection closes, until the function that it returns is called. */
export function cancelWith({ signal, connection }: UnaryCallContext, cancel: () => void): () => void {
  const untrack = connection.track(cancel);
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    untrack();
    signal?.removeEventListener('abort', cancel);
  };
}

/** One call with one answer. */
export function unaryCall<Request, Response>(
  method: CriMethodCodec<Request, Response, boolean>,
  request: Request,
  context: UnaryCallContext,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    context.signal?.throwIfAborted();
    const client = context.connection.client();
    const call = client.makeUnaryRequest(
      method.path,
      asIs,
      (bytes) => method.response.decode(bytes),
      encodeRequest(method, request),
      new Metadata(),
      context.grpcOptions,
      (error, response) => {
        release();
        if (error !== null || response === undefined) reject(context.failed(error));
        else resolve(response);
      },
    );
    const release = cancelWith(context, () => call.cancel());
  });
}
