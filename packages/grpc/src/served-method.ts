import type { GrpcMethod } from './method.js';

/** A method and what serves it, made by {@link implementMethod}. */
export interface ServedMethod {
  readonly method: GrpcMethod<unknown, unknown>;
  handle(request: unknown, signal: AbortSignal): unknown;
  onEnd?: ((end: ServedCallEnd) => void) | undefined;
}

/** How a call ended. */
export interface ServedCallEnd {
  request: unknown;
  /** The answer; absent for streams and failures. */
  response?: unknown;
  /** The number of messages of a stream. */
  messages?: number;
  /** What the call failed with. */
  error?: unknown;
  milliseconds: number;
}

/**
 * Pairs a method with the function that answers it: by a message, or by messages, which are read as fast as the caller takes them.
 * `signal` aborts when the caller cancels, the call's deadline passes or the server closes; the call then ends without waiting for the
 * function. What it throws becomes the call's status, see `statusOf` of `serveGrpc`. `onEnd` is called after each call and must not throw.
 */
export function implementMethod<Request, Response>(
  method: GrpcMethod<Request, Response, false>,
  handle: (request: Request, signal: AbortSignal) => Response | Promise<Response>,
  onEnd?: (end: ServedCallEnd) => void,
): ServedMethod;
export function implementMethod<Request, Response>(
  method: GrpcMethod<Request, Response, true>,
  handle: (request: Request, signal: AbortSignal) => AsyncIterable<Response>,
  onEnd?: (end: ServedCallEnd) => void,
): ServedMethod;
export function implementMethod(
  method: GrpcMethod<unknown, unknown>,
  handle: (request: unknown, signal: AbortSignal) => unknown,
  onEnd?: (end: ServedCallEnd) => void,
): ServedMethod {
  return { method, handle, onEnd };
}
