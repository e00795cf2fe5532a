import { type GrpcCodec, implementMethod, serveGrpc } from '@nodeagent/grpc';
import { withSocketPath } from './socket-peer.js';

const bytes: GrpcCodec<Buffer> = { encode: (answer) => answer, decode: (request) => Buffer.from(request) };

/** Answers the calls of the method at each path with the bytes, and passes each request on. */
export interface GrpcAnswers {
  answers: Readonly<Record<string, Buffer>>;
  onRequest?(path: string, request: Buffer): void;
}

/** Calls `work` with the socket of a gRPC server. */
export function withGrpcAnswers<T>({ answers, onRequest }: GrpcAnswers, work: (socketPath: string) => Promise<T>): Promise<T> {
  const methods = Object.entries(answers).map(([path, answer]) =>
    implementMethod({ path, streams: false, request: bytes, response: bytes }, (request) => {
      onRequest?.(path, request);
      return answer;
    }),
  );
  return withSocketPath(async (socketPath) => {
    const server = await serveGrpc({ socketPath, methods });
    try {
      return await work(socketPath);
    } finally {
      await server.destroy();
    }
  });
}
