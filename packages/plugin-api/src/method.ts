import type { GrpcCodec, GrpcMethod } from '@nodeagent/grpc';
import { decodeMessage, encodeMessage } from './codec.js';
import type { Message, MessageInit, MessageType } from './message.js';

/** A unary method. */
export interface Method<Request extends MessageType = MessageType, Response extends MessageType = MessageType> {
  /** `/csi.v1.Node/NodePublishVolume` */
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
}

/** The methods of a service by their names in TypeScript. */
export type PluginService = Readonly<Record<string, Method>>;

type Signatures = Readonly<Record<string, readonly [MessageType, MessageType]>>;
type MethodsOf<S extends Signatures> = { readonly [K in keyof S]: Method<S[K][0], S[K][1]> };

/** Defines a service by its full name and the request and response types of its methods. */
export function service<const S extends Signatures>(name: string, signatures: S): MethodsOf<S> {
  const methods = Object.entries(signatures).map(([key, [request, response]]) => [
    key,
    { path: `/${name}/${key.charAt(0).toUpperCase()}${key.slice(1)}`, request, response },
  ]);
  return Object.fromEntries(methods);
}

export type RequestOf<M> = M extends Method<infer Request, MessageType> ? MessageInit<Request> : never;
export type ResponseOf<M> = M extends Method<MessageType, infer Response> ? Message<Response> : never;

/** The implementation of some or all methods of a service. A thrown error becomes the call's status. */
export type Implementation<S extends PluginService> = {
  [K in keyof S]?: (
    request: Message<S[K]['request']>,
    signal: AbortSignal,
  ) => MessageInit<S[K]['response']> | Promise<MessageInit<S[K]['response']>>;
};

/** The method in the form of `@nodeagent/grpc`. */
export function grpcMethodOf({ path, request, response }: Method): GrpcMethod<object, object, false> {
  return { path, streams: false, request: codecOf(request), response: codecOf(response) };
}

function codecOf(type: MessageType): GrpcCodec<object> {
  return { encode: (message) => encodeMessage(type, message), decode: (bytes) => decodeMessage(type, bytes) };
}
