import { encodeHeaders } from './hpack.js';

/**
 * Creates a function that encodes the headers of a call. It keeps the last block of each method, because most methods always have the same
 * deadline.
 */
export function createRequestHeaders(client: {
  authority: string;
  userAgent: string;
}): (path: string, timeoutMs: number | undefined) => Buffer {
  const blocks = new Map<string, { timeoutMs: number | undefined; block: Buffer }>();
  return (path, timeoutMs) => {
    const last = blocks.get(path);
    if (last !== undefined && last.timeoutMs === timeoutMs) return last.block;
    const block = encodeHeaders([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', path],
      [':authority', client.authority],
      ['te', 'trailers'],
      ['content-type', 'application/grpc'],
      ['user-agent', client.userAgent],
      ...(timeoutMs === undefined ? [] : [['grpc-timeout', grpcTimeout(timeoutMs)] as const]),
    ]);
    blocks.set(path, { timeoutMs, block });
    return block;
  };
}

/** gRPC's format of a timeout: at most eight digits, and a unit. */
function grpcTimeout(timeoutMs: number): string {
  const ms = Math.ceil(timeoutMs);
  return ms < 1e8 ? `${ms}m` : `${Math.ceil(ms / 1000)}S`;
}
