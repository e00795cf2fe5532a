import { notAcceptable } from '../status.js';

/** The form of objects in a response: complete, as a table, or only their metadata. */
export type Shape = 'object' | 'table' | 'metadata';

const shapes: Readonly<Record<string, Shape>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** One media type of an Accept header. */
export interface AcceptedType {
  type: string;
  parameters: Readonly<Record<string, string>>;
}

export function acceptedTypes(accept: string | undefined): AcceptedType[] {
  return (accept ?? '')
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([type]) => type)
    .map(([type = '', ...rest]) => ({
      type: type.toLowerCase(),
      parameters: Object.fromEntries(rest.map((part) => part.split('=', 2) as [string, string])),
    }));
}

const isJson = (type: string) => type === 'application/json' || type === 'application/*' || type === '*/*';

/** The first JSON form that the client accepts. Throws 406: this server writes no protobuf, YAML or CBOR. */
export function shapeOf(accept: string | undefined): Shape {
  if (accept === 'application/json') return 'object';
  const types = acceptedTypes(accept);
  if (types.length === 0) return 'object';
  for (const { type, parameters } of types) {
    if (!isJson(type)) continue;
    if (parameters.as === undefined) return 'object';
    const shape = shapes[parameters.as];
    if (shape && parameters.g === 'meta.k8s.io' && parameters.v === 'v1') return shape;
  }
  throw notAcceptable(['application/json', 'application/json;stream=watch']);
}

/** Whether the client accepts this version of this form. */
export function acceptsAs(accept: string | undefined, kind: string, version: string): boolean {
  return acceptedTypes(accept).some(({ type, parameters }) => isJson(type) && parameters.as === kind && parameters.v === version);
}
