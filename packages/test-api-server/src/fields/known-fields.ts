import type { ServedResource } from '../registry/resource.js';
import { coreFields } from './core-fields.js';
import { groupFields } from './group-fields.js';
import { podFields } from './pod-fields.js';

/** The fields of an object by name. */
export type FieldsType = ReadonlyMap<string, KnownField>;

interface KnownField {
  /** The fields of its value, of the elements if that is a list. Absent: scalars, and objects with any fields. */
  type?: FieldsType;
  /** Whether its value is a map of such objects. */
  isMap: boolean;
}

/** Kinds whose name is that of another type, too. */
const otherNames: Readonly<Record<string, string>> = {
  '/Event': 'CoreV1Event',
  'events.k8s.io/Event': 'EventsV1Event',
  'resource.k8s.io/ResourceClaim': 'ResourceV1ResourceClaim',
  'autoscaling/v1/HorizontalPodAutoscaler': 'AutoscalingV1Autoscaler',
};

/**
 * Reads types, one a line: its name, then its fields. `spec:PodSpec` is a field with an object of this type or a list of them, `opaque:{}Name`
 * one with a map of them, and a bare name any other field.
 */
function parseFields(text: string): Map<string, FieldsType> {
  const types = new Map<string, Map<string, KnownField>>();
  const typeNamed = (name: string) => {
    const type = types.get(name) ?? new Map<string, KnownField>();
    types.set(name, type);
    return type;
  };
  for (const line of text.trim().split('\n')) {
    const [name = '', ...fields] = line.split(' ');
    const type = typeNamed(name);
    for (const field of fields) {
      const [fieldName = '', reference = ''] = field.split(':');
      const isMap = reference.startsWith('{}');
      const target = isMap ? reference.slice(2) : reference;
      type.set(fieldName, { isMap, ...(target && { type: typeNamed(target) }) });
    }
  }
  return types;
}

let builtIn: Map<string, FieldsType> | undefined;

function typeNamed(name: string): FieldsType | undefined {
  builtIn ??= parseFields([podFields, coreFields, groupFields].map((text) => text.trim()).join('\n'));
  return builtIn.get(name);
}

/** The fields of a built-in kind. */
export function fieldsOfKind({ group, version, kind }: Pick<ServedResource, 'group' | 'version' | 'kind'>): FieldsType | undefined {
  return typeNamed(otherNames[`${group}/${version}/${kind}`] ?? otherNames[`${group}/${kind}`] ?? kind);
}

/** The fields of every object's metadata. */
export const metadataFields = (): FieldsType | undefined => typeNamed('ObjectMeta');
