/**
 * gRPC over Unix sockets: {@link createGrpcClient} calls a server, {@link serveGrpc} is one; unary and server-streaming methods, whose
 * messages any codec makes bytes of.
 *
 * @packageDocumentation
 */
export { createGrpcClient, type GrpcClient } from './client.js';
export type { GrpcCallOptions, GrpcClientOptions } from './client-options.js';
export {
  type GrpcAnswer,
  type GrpcCallFailure,
  type GrpcStatus,
  grpcError,
  grpcErrorCodes,
  grpcFailureOf,
  grpcStatuses,
} from './errors.js';
export type { GrpcStream } from './grpc-stream.js';
export type { GrpcCodec, GrpcMethod } from './method.js';
export { implementMethod, type ServedCallEnd, type ServedMethod } from './served-method.js';
export { type GrpcCloseOptions, type GrpcServer, type ServeGrpcOptions, serveGrpc } from './server.js';
