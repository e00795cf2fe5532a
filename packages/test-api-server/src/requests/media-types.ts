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

/** The types of the header, the preferred ones first (RFC 9110, section 12.5.1). */
export function acceptedTypes(accept: string | undefined): AcceptedType[] {
  return (accept ?? '')
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([type]) => type)
    .map(([type = '', ...rest]) => ({
      type: type.toLowerCase(),
      parameters: Object.fromEntries(rest.map((part) => part.split('=', 2) as [string, string])),
    }))
    .sort((a, b) => quality(b) - quality(a));
}

function quality({ parameters: { q = '1' } }: AcceptedType): number {
  const value = Number(q);
  return Number.isNaN(value) ? 1 : value;
}

/** The first type that `serves` accepts. */
export const firstAccepted = (accept: string | undefined, serves: (type: AcceptedType) => boolean): AcceptedType | undefined =>
  acceptedTypes(accept).find(serves);

/** Whether JSON is such a type. */
export const isJsonType = (type: string): boolean => type === 'application/json' || type === 'application/*' || type === '*/*';

/** The first JSON form that the client accepts. Throws 406: this server writes no protobuf, YAML or CBOR. */
export function shapeOf(accept: string | undefined): Shape {
  if (accept === 'application/json') return 'object';
  const types = acceptedTypes(accept);
  if (types.length === 0) return 'object';
  for (const { type, parameters } of types) {
    if (!isJsonType(type)) continue;
    if (parameters.as === undefined) return 'object';
    const shape = shapes[parameters.as];
    if (shape && parameters.g === 'meta.k8s.io' && parameters.v === 'v1') return shape;
  }
  throw notAcceptable(['application/json', 'application/json;stream=watch']);
}
