/**
 * gRPC over Unix sockets: {@link createGrpcClient} calls a server, {@link serveGrpc} is one; unary and server-streaming methods, whose
 * messages any codec makes bytes of.
 *
 * @packageDocumentation
 */
export { createGrpcClient, type GrpcClient } from './client.js';
export type { GrpcCallOptions, GrpcClientOptions } from './connection.js';
export { type GrpcCallFailure, type GrpcStatus, grpcError, grpcErrorCodes, grpcFailureOf, grpcStatuses } from './errors.js';
export type { GrpcCodec, GrpcMethod } from './method.js';
export type { GrpcStream } from './read-stream.js';
export type { GrpcAnswer } from './serve-call.js';
export { implementMethod, type ServedCallEnd, type ServedMethod } from './served-method.js';
export { type GrpcCloseOptions, type GrpcServer, type ServeGrpcOptions, serveGrpc } from './server.js';
