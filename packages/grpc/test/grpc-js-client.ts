import type { GrpcCalls } from '../src/client/client.js';
import { type GrpcStatus, grpcError, grpcStatuses } from '../src/errors.js';
import { loadGrpcJs } from '../src/load-grpc-js.js';

/** Unary calls by grpc-js, whose errors those of the client are compared with. */
export function createGrpcJsClient(socketPath: string): Pick<GrpcCalls, 'unary' | 'close'> {
  const created = loadGrpcJs().then(
    ({ Client, credentials }) => new Client(`unix:${socketPath}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 }),
  );
  return {
    async unary(method, request) {
      const client = await created;
      const bytes = method.request.encode(request);
      return new Promise((resolve, reject) => {
        const encode = (message: Buffer) => message;
        client.makeUnaryRequest(
          method.path,
          encode,
          (answer: Buffer) => method.response.decode(answer),
          bytes,
          {},
          (error, response) => {
            if (error === null && response !== undefined) resolve(response);
            else reject(grpcError((grpcStatuses[error?.code ?? 2] ?? 'Unknown') as GrpcStatus, error?.details ?? '', error));
          },
        );
      });
    },
    close: () => void created.then((client) => client.close()),
  };
}
