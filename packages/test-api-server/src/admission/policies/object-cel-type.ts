import { type CelField, type CelType, celTypes, listOf, mapOf } from '../../cel/types.js';
import { celTypeOf, escapeName } from '../../custom-resources/cel-type.js';
import { fieldsOfKind, metadataFields } from '../../fields/built-in-types.js';
import type { ObjectField, ObjectType, ValueKind } from '../../fields/object-type.js';
import type { ServedResource } from '../../registry/resource.js';

const { bool, bytes, double, dyn, int, string, timestamp } = celTypes;
const empty: CelType = { kind: 'object', name: 'object', fields: new Map() };

const scalars: Readonly<Record<Exclude<ValueKind, 'object'>, CelType>> = {
  ...{ string, bytes, int, bool, double, time: timestamp, microTime: timestamp, duration: string, stringList: listOf(string) },
  ...{ raw: empty, fieldsV1: empty },
  // Types with alternatives, which a program has to check.
  ...{ quantity: dyn, intOrString: dyn, schemaOrList: dyn, schemaOrBool: dyn, schemaOrStrings: dyn },
};

/** The type of the objects of a resource in expressions; undefined if the server knows no fields of them. */
export function objectCelType(definition: ServedResource): CelType | undefined {
  if (definition.custom === undefined) {
    const type = fieldsOfKind(definition);
    return type && typeOfObject(type, []);
  }
  const { schema } = definition.custom;
  const type = schema && celTypeOf(schema, true);
  const metadata = metadataFields();
  if (type?.kind !== 'object' || metadata === undefined) return type;
  return { ...type, fields: new Map([...type.fields, ['metadata', { jsonName: 'metadata', type: typeOfObject(metadata, []) }]]) };
}

/** `outer` are the types that contain it; a type within itself has no fields. */
function typeOfObject(type: ObjectType, outer: readonly ObjectType[]): CelType {
  if (outer.includes(type)) return empty;
  const fields = new Map<string, CelField>();
  const within = [...outer, type];
  const add = (from: ObjectType): void => {
    for (const [jsonName, field] of from.fields) {
      const name = escapeName(jsonName);
      if (name !== undefined) fields.set(name, { jsonName, type: typeOfField(field, within) });
    }
    for (const inlined of from.inlined) if (inlined.type) add(inlined.type);
  };
  add(type);
  return { kind: 'object', name: type.name, fields };
}

function typeOfField(field: ObjectField, outer: readonly ObjectType[]): CelType {
  const value = field.kind !== 'object' ? scalars[field.kind] : field.type ? typeOfObject(field.type, outer) : empty;
  if (field.isList) return listOf(value);
  return field.isMap ? mapOf(string, value) : value;
}
