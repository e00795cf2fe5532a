import { groupVersion } from '../objects.js';
import type { KindName } from '../protobuf/envelope.js';
import type { ResourceRegistry } from '../registry/registry.js';
import { findSubresource } from '../registry/resource.js';
import { badRequest } from '../status.js';
import { requireBodySize } from './body-size.js';
import { mediaTypeOf } from './media-types.js';
import { loadProtobuf, protobufType } from './protobuf.js';
import type { ApiRequest } from './request.js';
import type { RequestInfo } from './request-info.js';
import { unrecognized } from './unrecognized.js';

/** Methods with an object in the body; patches are never protobuf. */
const withObject = ['create', 'update', 'delete', 'deletecollection'];

/** The request with its protobuf body as JSON; any other request as it is. Throws 400 and 413. */
export async function withJsonBody(registry: ResourceRegistry, info: RequestInfo, request: ApiRequest): Promise<ApiRequest> {
  const { headers, body } = request;
  if (!(body instanceof Uint8Array) || mediaTypeOf(headers?.['content-type']) !== protobufType || !withObject.includes(info.verb))
    return request;
  requireBodySize(body);
  const { 'content-type': _protobuf, ...others } = headers ?? {};
  return { ...request, headers: others, body: body.length === 0 ? undefined : await decodeBody(registry, info, body) };
}

async function decodeBody(registry: ResourceRegistry, info: RequestInfo, body: Uint8Array): Promise<unknown> {
  const { decodeObject, hasProtobuf, InvalidEnvelope, InvalidProtobuf, UnknownKind } = await loadProtobuf();
  const isDeletion = info.verb.startsWith('delete');
  const expected = isDeletion ? { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' } : expectedKind(registry, info);
  try {
    if (expected && !hasProtobuf(expected)) {
      throw new InvalidProtobuf(
        'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
      );
    }
    return decodeObject(body, expected);
  } catch (error) {
    if (!(error instanceof InvalidProtobuf)) throw error;
    if (error instanceof InvalidEnvelope && expected && !isDeletion) throw unrecognized(expected.kind, error.message, body);
    const given = error instanceof UnknownKind ? error : expected;
    throw badRequest(isDeletion || !expected || !given ? error.message : cannotBeHandled(given, expected, error.message));
  }
}

function cannotBeHandled({ apiVersion, kind: given }: KindName, { kind }: KindName, problem: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return `${given} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${problem}`;
}

/** The kind that a resource or a subresource takes. */
function expectedKind(registry: ResourceRegistry, info: RequestInfo): KindName | undefined {
  const definition = registry.find(info.group, info.version, info.resource);
  if (definition === undefined) return undefined;
  const part = info.subresource === undefined ? undefined : findSubresource(definition, info.subresource);
  const { group = definition.group, version = definition.version, kind } = part ?? definition;
  return { apiVersion: groupVersion(group, version), kind };
}
