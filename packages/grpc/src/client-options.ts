/** Options of `createGrpcClient`. */
export interface GrpcClientOptions {
  /** Absolute path of the socket. */
  socketPath: string;
  /** Largest message that the client accepts, in bytes; a larger one fails its call with `ResourceExhausted`. Default 4 MiB. */
  maxReceiveMessageBytes?: number;
  /** Time between two attempts to connect, in milliseconds: it grows from `min` to `max`. Default: 1 s and 2 min. */
  reconnectDelayMs?: { min: number; max: number };
}

/** Options of one call. */
export interface GrpcCallOptions {
  /** Deadline of the call in milliseconds from its start, in real time. Default: none. */
  timeoutMs?: number;
  /** Cancels the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}
