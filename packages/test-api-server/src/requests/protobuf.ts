import { loadModule } from './module-loads.js';
import { type ApiResponse, BytesBody, jsonResponse } from './request.js';

/** The codec of objects in protobuf. */
export type ProtobufCodec = typeof import('../protobuf/codec.js');

export const protobufType = 'application/vnd.kubernetes.protobuf';

let loaded: ProtobufCodec | undefined;

/** Loads the codec at its first use, because clients in the same process, and those in browsers, use JSON. */
export async function loadProtobuf(): Promise<ProtobufCodec> {
  loaded ??= await loadModule(() => import('../protobuf/codec.js'));
  return loaded;
}

/** The codec if a request needed it. */
export const loadedProtobuf = (): ProtobufCodec | undefined => loaded;

/** A response with an object: in protobuf with its codec, otherwise in JSON. */
export function objectResponse(
  protobuf: ProtobufCodec | undefined,
  status: number,
  object: unknown,
  headers: Record<string, string> = {},
): ApiResponse {
  if (protobuf === undefined) return jsonResponse(status, object, headers);
  return { status, headers: { 'content-type': protobufType, ...headers }, body: new BytesBody(protobuf.encodeObject(object)) };
}
