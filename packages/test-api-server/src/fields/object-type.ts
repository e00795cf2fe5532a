/** Types of fields that are no objects with fixed fields; the absent type is a string. */
const scalars = [
  'string',
  'bytes',
  'int',
  'bool',
  'double',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'stringList',
  'raw',
  'fieldsV1',
  'schemaOrList',
  'schemaOrBool',
  'schemaOrStrings',
] as const;

/** The type of a field's value, of the elements of a list and of the values of a map. `object`: an object with fixed fields. */
export type ValueKind = (typeof scalars)[number] | 'object';

const isScalar = (name: string): name is ValueKind => (scalars as readonly string[]).includes(name);

/** Finds a type by its name, as seen from the type that refers to it. */
export type TypeLookup = (name: string) => ObjectType | undefined;

/** A field of an object. */
export class ObjectField {
  readonly name: string;
  /** Its number in protobuf; 0 for `apiVersion` and `kind`, which the envelope has. */
  readonly number: number;
  readonly kind: ValueKind;
  readonly isList: boolean;
  readonly isMap: boolean;
  /** Whether zero, false and the empty string differ from an absent field. */
  readonly keepsZero: boolean;
  /** Whether Go writes the field even if it is empty: a list, a map, a time or a pointer as null, an object as `{}`. */
  readonly isAlways: boolean;
  readonly #target: string | undefined;
  readonly #lookup: TypeLookup;
  #type: ObjectType | undefined;

  constructor(text: string, previous: number, lookup: TypeLookup) {
    const [, number = '', name = '', zero, always, reference = '', container] =
      /^(\d*)([^:!?]+)(\?)?(!)?(?::([^[{]*))?(\[\]|\{\})?$/.exec(text) ?? [];
    this.name = name;
    this.number = number === '' ? previous + 1 : Number(number);
    this.kind = reference === '' ? 'string' : isScalar(reference) ? reference : 'object';
    this.isList = container === '[]';
    this.isMap = container === '{}';
    this.keepsZero = zero !== undefined;
    this.isAlways = always !== undefined;
    this.#target = this.kind === 'object' ? reference : this.kind.startsWith('schema') ? 'JSONSchemaProps' : undefined;
    this.#lookup = lookup;
  }

  /** The type of its object or objects. */
  get type(): ObjectType | undefined {
    if (this.#target !== undefined) this.#type ??= this.#lookup(this.#target);
    return this.#type;
  }
}

const typeMeta = ['0apiVersion', '0kind'];

/**
 * An object's type: its fields in JSON and in protobuf. A line of a table has its name, with a `+` before that of a kind, then its fields.
 * A field is `NUMBER NAME FLAGS : TYPE CONTAINER` without the spaces; everything but the name may be absent:
 *
 * - the number in protobuf: the previous one plus 1;
 * - `?`: zero differs from absence (a pointer in Go), `!`: it is written even if it is empty (no `omitempty`), `?!`: as null (such a pointer);
 * - the type: a string;
 * - `[]`: a list, `{}`: a map by string.
 *
 * The name `*` is an object whose fields JSON has among those of the object itself.
 */
export class ObjectType {
  readonly name: string;
  /** Whether its objects have an `apiVersion` and a `kind`. */
  readonly isKind: boolean;
  /** All but the inlined ones, by name. */
  readonly fields: ReadonlyMap<string, ObjectField>;
  /** The objects whose fields are inlined. */
  readonly inlined: readonly ObjectField[];
  readonly #all: readonly ObjectField[];
  #always: readonly ObjectField[] | undefined;
  #byNumber: readonly ObjectField[] | undefined;

  constructor(line: string, lookup: TypeLookup) {
    const [name = '', ...texts] = line.split(' ');
    this.isKind = name.startsWith('+');
    this.name = this.isKind ? name.slice(1) : name;
    let previous = 0;
    const fields = [...texts, ...(this.isKind ? typeMeta : [])].map((text) => {
      const field = new ObjectField(text, previous, lookup);
      previous = field.number;
      return field;
    });
    this.#all = fields;
    this.inlined = fields.filter((field) => field.name === '*');
    this.fields = new Map(fields.filter((field) => field.name !== '*').map((field) => [field.name, field]));
  }

  /** A field of the object in JSON. */
  get(name: string): ObjectField | undefined {
    const known = this.fields.get(name);
    if (known || this.inlined.length === 0) return known;
    for (const { type } of this.inlined) {
      const field = type?.get(name);
      if (field) return field;
    }
    return undefined;
  }

  /** The field of a number in protobuf. */
  numbered(number: number): ObjectField | undefined {
    if (this.#byNumber === undefined) {
      const fields: ObjectField[] = [];
      for (const field of this.#all) if (field.number > 0) fields[field.number] = field;
      this.#byNumber = fields;
    }
    return this.#byNumber[number];
  }

  /** The fields that Go writes even if they are empty, with those of inlined objects. */
  get always(): readonly ObjectField[] {
    this.#always ??= [...this.#all.filter(({ isAlways }) => isAlways), ...this.inlined.flatMap(({ type }) => type?.always ?? [])];
    return this.#always;
  }
}
