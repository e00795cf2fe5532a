import { CelEvalError } from './cel-error.js';
import type { CelType } from './types.js';

/** A value of type uint. */
export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time, in nanoseconds since 1970. */
export class CelTimestamp {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A duration in nanoseconds. */
export class CelDuration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A list; lists of type `set` and `map` compare and add without regard to order, as Kubernetes defines. */
export class CelList {
  readonly items: readonly CelValue[];
  readonly merge: 'set' | readonly string[] | undefined;
  constructor(items: readonly CelValue[], merge?: 'set' | readonly string[]) {
    this.items = items;
    this.merge = merge;
  }
}

/** A map, or an object, whose fields are those that are set. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined: no such key. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];
}

/** An optional value; undefined: none. */
export class CelOptional {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value. */
export class CelTypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only functions know, such as an IP address; its class is the implementation. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  abstract equals(other: CelOpaque): boolean;
  /** Size for the costs of functions. Default 1. */
  get size(): number {
    return 1;
  }
  /** Size of the pattern of a named format, for its costs. */
  get patternSize(): number {
    return 0;
  }
}

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelOpaque;

/** The text by which a map finds a key; numbers of all types with the same value are the same key. */
export function keyText(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

/** A map that an expression makes. */
export class EntryMap extends CelMap {
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    super();
    const found = new Map<string, readonly [CelValue, CelValue]>();
    for (const entry of entries) {
      const text = typeof entry[0] === 'number' ? undefined : keyText(entry[0]);
      if (text === undefined) throw new CelEvalError('unsupported key type');
      if (found.has(text)) throw new CelEvalError(`Failed with repeated key`);
      found.set(text, entry);
    }
    this.#entries = found;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }

  keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

/** An object that an expression makes of a named type: `Object{spec: ...}`. */
export class CelStruct extends EntryMap {
  readonly typeName: string;
  constructor(typeName: string, entries: Iterable<readonly [CelValue, CelValue]>) {
    super(entries);
    this.typeName = typeName;
  }
}

const classNames = [
  [CelUint, 'uint'],
  [CelTimestamp, 'google.protobuf.Timestamp'],
  [CelDuration, 'google.protobuf.Duration'],
  [CelList, 'list'],
  [CelOptional, 'optional_type'],
  [CelTypeValue, 'type'],
  [Uint8Array, 'bytes'],
] as const;

/** The name of the type of a value, as `type()` and errors show it. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof CelOpaque || value instanceof CelStruct) return value.typeName;
  if (value instanceof CelMap) return 'map';
  return classNames.find(([type]) => value instanceof type)?.[1] ?? 'dyn';
}

/** Whether a value has a type; its elements are not checked. */
export function hasType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'free':
    case 'param':
      return true;
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof CelTimestamp;
    case 'duration':
      return value instanceof CelDuration;
    case 'optional':
      return value instanceof CelOptional;
    case 'object':
    case 'map':
      return value instanceof CelMap;
    case 'opaque':
      return value instanceof CelOpaque && value.typeName === type.name;
    default:
      return typeNameOf(value) === type.kind;
  }
}

/** Number of code points of a text. */
export function textLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The size of a value for costs: code points, bytes, elements; 1 for scalars. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return textLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList) return value.items.length;
  if (value instanceof CelMap || value instanceof CelOpaque) return value.size;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}
