import { notAcceptable } from '../status.js';

/** The form of objects in a response: complete, as a table, or only their metadata. */
export type Shape = 'object' | 'table' | 'metadata';

/** How objects are written. */
export interface ObjectFormat {
  isProtobuf: boolean;
  shape: Shape;
}

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

/** The media type of a header, without parameters. */
export function mediaTypeOf(header: string | undefined): string {
  return header?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The types of the header, the preferred ones first (RFC 9110, section 12.5.1); of equal ones the exact ones first. */
export function acceptedTypes(accept: string | undefined): AcceptedType[] {
  return (accept ?? '')
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([type]) => type)
    .map(([type = '', ...rest]) => ({
      type: type.toLowerCase(),
      parameters: Object.fromEntries(rest.map((part) => part.split('=', 2) as [string, string])),
    }))
    .sort((a, b) => quality(b) - quality(a) || Number(a.type.includes('*')) - Number(b.type.includes('*')));
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

const isProtobufType = (type: string) => type === 'application/vnd.kubernetes.protobuf';

const json: ObjectFormat = { isProtobuf: false, shape: 'object' };

/**
 * The first format of a resource's objects that the client accepts. Custom resources have protobuf only of their metadata, tables are JSON
 * only. Throws 406: this server writes no YAML or CBOR.
 */
export function formatOf(accept: string | undefined, isCustom: boolean): ObjectFormat {
  if (accept === undefined || accept === '' || accept === 'application/json') return json;
  for (const { type, parameters } of acceptedTypes(accept)) {
    const isProtobuf = isProtobufType(type);
    const shape = shapeOf(parameters);
    const isServed = isProtobuf ? shape === 'metadata' || (shape === 'object' && !isCustom) : isJsonType(type);
    if (shape && isServed && (parameters.stream || 'watch') === 'watch') return { isProtobuf, shape };
  }
  throw notAcceptable(['application/json', 'application/vnd.kubernetes.protobuf']);
}

/** The shape that a media type asks for; undefined if the server does not have it. */
function shapeOf({ as: kind, g: group, v: version }: AcceptedType['parameters']): Shape | undefined {
  if (kind === undefined) return 'object';
  return group === 'meta.k8s.io' && version === 'v1' ? shapes[kind] : undefined;
}

/** Whether a client gets errors as protobuf. */
export function takesProtobufErrors(accept: string | undefined): boolean {
  const plain = firstAccepted(
    accept,
    ({ type, parameters }) => (isJsonType(type) || isProtobufType(type)) && !parameters.as && !parameters.g,
  );
  return plain !== undefined && isProtobufType(plain.type);
}
