import { parseDuration, parseTimestamp } from './time.js';
import { type CelField, type CelType, celTypes } from './types.js';
import { CelDuration, CelList, CelMap, CelOpaque, CelOptional, CelTimestamp, CelTypeValue, CelUint, type CelValue } from './values.js';

/** The value of JSON by its type; objects are read when a field is. */
export function adapt(json: unknown, type: CelType): CelValue {
  if (json === null || json === undefined) return null;
  if (typeof json === 'boolean') return json;
  if (typeof json === 'number') return adaptNumber(json, type);
  if (typeof json === 'string') return adaptText(json, type);
  if (Array.isArray(json)) {
    const { element, merge } = type.kind === 'list' ? type : { element: celTypes.dyn, merge: undefined };
    return new CelList(
      json.map((item) => adapt(item, element)),
      merge,
    );
  }
  if (typeof json === 'bigint' || isValue(json)) return json;
  return type.kind === 'object' ? new JsonObjectMap(json as JsonFields, type.fields) : new JsonMap(json as JsonFields, type);
}

const classes = [CelList, CelMap, CelOpaque, CelOptional, CelTimestamp, CelDuration, CelTypeValue, CelUint, Uint8Array];

/** Whether it is a value already. */
const isValue = (json: unknown): json is CelValue => classes.some((each) => json instanceof each);

type JsonFields = Readonly<Record<string, unknown>>;

function adaptNumber(json: number, { kind }: CelType): CelValue {
  return kind !== 'double' && Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? BigInt(json) : json;
}

function adaptText(json: string, { kind }: CelType): CelValue {
  if (kind === 'timestamp') return new CelTimestamp(parseTimestamp(/T/i.test(json) ? json : `${json}T00:00:00Z`));
  if (kind === 'duration') return new CelDuration(parseDuration(json));
  if (kind === 'bytes') return Uint8Array.from(atob(json), (character) => character.charCodeAt(0));
  return json;
}

/** A map of JSON. */
class JsonMap extends CelMap {
  readonly #json: JsonFields;
  readonly #valueType: CelType;
  readonly #read = new Map<string, CelValue>();
  readonly #names: string[];

  constructor(json: JsonFields, type: CelType) {
    super();
    this.#json = json;
    this.#valueType = type.kind === 'map' ? type.value : celTypes.dyn;
    this.#names = Object.keys(json).filter((name) => json[name] !== undefined);
  }

  get size(): number {
    return this.#names.length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key) || this.#json[key] === undefined) return undefined;
    let value = this.#read.get(key);
    if (value === undefined) {
      value = adapt(this.#json[key], this.#valueType);
      this.#read.set(key, value);
    }
    return value;
  }

  keys(): CelValue[] {
    return this.#names;
  }
}

/** An object of JSON with known fields; others are invisible. */
class JsonObjectMap extends CelMap {
  readonly #json: JsonFields;
  readonly #fields: ReadonlyMap<string, CelField>;
  readonly #read = new Map<string, CelValue>();

  constructor(json: JsonFields, fields: ReadonlyMap<string, CelField>) {
    super();
    this.#json = json;
    this.#fields = fields;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const field = this.#fields.get(key);
    if (field === undefined || !Object.hasOwn(this.#json, field.jsonName)) return undefined;
    const json = this.#json[field.jsonName];
    if (json === undefined) return undefined;
    const value = adapt(json, field.type);
    this.#read.set(key, value);
    return value;
  }

  keys(): CelValue[] {
    return [...this.#fields.keys()].filter((name) => this.get(name) !== undefined);
  }
}

/** The JSON of a value, for those that admission patches with. Timestamps and durations become text. */
export function toJson(value: CelValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof CelList) return value.items.map(toJson);
  if (value instanceof CelMap) {
    const entries = value
      .keys()
      .map((key) => [typeof key === 'object' ? JSON.stringify(toJson(key)) : String(key), toJson(value.get(key) as CelValue)]);
    return Object.fromEntries(entries) as unknown;
  }
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  if (typeof value !== 'object' || value === null) return value;
  return 'value' in value ? toJson((value as { value?: CelValue }).value ?? null) : 'ns' in value ? String(value.ns) : String(value);
}
