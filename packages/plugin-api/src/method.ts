import type { GrpcCodec, GrpcMethod } from '@nodeagent/grpc';
import { decodeMessage, encodeMessage, type Message, type MessageInit, type MessageType } from '@nodeagent/protobuf';

/** A method with one response or, if `Streams`, a stream of responses. */
export interface Method<
  Request extends MessageType = MessageType,
  Response extends MessageType = MessageType,
  Streams extends boolean = boolean,
> {
  /** `/csi.v1.Node/NodePublishVolume` */
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
  readonly streams: Streams;
}

/** The methods of a service by their names in TypeScript. */
export type PluginService = Readonly<Record<string, Method>>;

type Signature = readonly [request: MessageType, response: MessageType, streams?: 'stream'];
type Signatures = Readonly<Record<string, Signature>>;
type MethodsOf<S extends Signatures> = { readonly [K in keyof S]: Method<S[K][0], S[K][1], S[K][2] extends 'stream' ? true : false> };

/** Defines a service by its full name and the request and response types of its methods; `stream` marks a stream of responses. */
export function service<const S extends Signatures>(name: string, signatures: S): MethodsOf<S> {
  const methods = Object.entries(signatures).map(([key, [request, response, streams]]) => [
    key,
    { path: `/${name}/${key.charAt(0).toUpperCase()}${key.slice(1)}`, request, response, streams: streams !== undefined },
  ]);
  return Object.fromEntries(methods);
}

export type RequestOf<M> = M extends Method<infer Request, MessageType> ? MessageInit<Request> : never;
export type ResponseOf<M> = M extends Method<MessageType, infer Response> ? Message<Response> : never;

type Answer<M extends Method> =
  | (true extends M['streams'] ? AsyncIterable<MessageInit<M['response']>> : never)
  | (false extends M['streams'] ? MessageInit<M['response']> | Promise<MessageInit<M['response']>> : never);

/** The implementation of some or all methods of a service. A thrown error becomes the call's status. */
export type Implementation<S extends PluginService> = {
  [K in keyof S]?: (request: Message<S[K]['request']>, signal: AbortSignal) => Answer<S[K]>;
};

/** The method in the form of `@nodeagent/grpc`. */
export function grpcMethodOf<Streams extends boolean>(
  method: Method<MessageType, MessageType, Streams>,
): GrpcMethod<object, object, Streams> {
  const { path, request, response, streams } = method;
  return { path, streams, request: codecOf(request), response: codecOf(response) };
}

function codecOf(type: MessageType): GrpcCodec<object> {
  return { encode: (message) => encodeMessage(type, message), decode: (bytes) => decodeMessage(type, bytes) };
}
