import type { Clock, Random } from '@nodeagent/api';

/** Options of `createGrpcClient`. */
export interface GrpcClientOptions {
  /** Absolute path of the socket. */
  socketPath: string;
  /** Largest message that the client accepts, in bytes; a larger one fails its call with `ResourceExhausted`. Default 4 MiB. */
  maxReceiveMessageBytes?: number;
  /** Time between two attempts to connect, in milliseconds: it grows from `min` to `max`. Default: 1 s and 2 min. */
  reconnectDelayMs?: { min: number; max: number };
  /** The header `user-agent` of requests. Default `nodeagent-grpc`. */
  userAgent?: string;
  /** Clock of deadlines and of the time between attempts to connect. Default: the system clock. */
  clock?: Clock;
  /** Varies the time between attempts to connect. Default: the system's. */
  random?: Random;
}

/** Options of one call. */
export interface GrpcCallOptions {
  /** Deadline of the call in milliseconds from now. Default: none. */
  timeoutMs?: number | undefined;
  /** Cancels the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}
