import type { CallOptions } from '@nodeagent/cri-api';
import type { GrpcCodec, GrpcMethod } from '@nodeagent/grpc';

/** A method of a CRI service; its path is `/runtime.v1.RuntimeService/ListContainers`. */
export interface CriMethodCodec<Request, Response, Streams extends boolean> extends GrpcMethod<Request, Response, Streams> {
  service: 'RuntimeService' | 'ImageService';
  /** As the CRI spells it: `ListContainers`. */
  name: string;
}

/** The service of a method table. */
export type ServiceOf<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends CriMethodCodec<infer Request, infer Response, infer Streams>
    ? (request: Request, options?: CallOptions) => Streams extends true ? AsyncIterable<Response> : Promise<Response>
    : never;
};

/** The methods of a service, by their names in its TypeScript interface. */
export type MethodTable = Readonly<Record<string, CriMethodCodec<unknown, unknown, boolean>>>;

export function unary<Request, Response>(
  service: CriMethodCodec<Request, Response, false>['service'],
  name: string,
  request: GrpcCodec<Request>,
  response: GrpcCodec<Response>,
): CriMethodCodec<Request, Response, false> {
  return { service, name, path: `/runtime.v1.${service}/${name}`, streams: false, request, response };
}

export function stream<Request, Response>(
  service: CriMethodCodec<Request, Response, true>['service'],
  name: string,
  request: GrpcCodec<Request>,
  response: GrpcCodec<Response>,
): CriMethodCodec<Request, Response, true> {
  return { service, name, path: `/runtime.v1.${service}/${name}`, streams: true, request, response };
}
