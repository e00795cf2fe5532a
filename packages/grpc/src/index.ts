/**
 * gRPC over Unix sockets: {@link createGrpcClient} calls a server, {@link serveGrpc} is one, {@link connectGrpc} calls one over any open socket; unary and server-streaming methods, whose
 * messages any codec makes bytes of.
 *
 * @packageDocumentation
 */
export { createGrpcClient, type GrpcCalls, type GrpcClient } from './client/client.js';
export type { GrpcCallOptions, GrpcClientOptions } from './client/client-options.js';
export { type ConnectGrpcOptions, connectGrpc } from './client/connect-grpc.js';
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
