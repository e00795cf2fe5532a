/** Types without parameters. `free` is the unknown element of an empty list or map literal. */
export type SimpleKind = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration' | 'dyn' | 'free';

/** A field of an object type: its name in JSON, and its type. */
export interface CelField {
  jsonName: string;
  type: CelType;
}

/** A type of CEL: language definition, "Values", with the sizes that the estimation of costs uses. */
export type CelType = (
  | { kind: SimpleKind }
  | { kind: 'list'; element: CelType; merge?: 'set' | readonly string[] }
  | { kind: 'map'; key: CelType; value: CelType }
  /** Fields by their names in expressions (see `escapeName`). */
  | { kind: 'object'; name: string; fields: ReadonlyMap<string, CelField> }
  | { kind: 'optional'; element: CelType }
  | { kind: 'type'; of: CelType }
  /** A type that only functions know, such as `net.IP`. */
  | { kind: 'opaque'; name: string }
  /** A type parameter of a function. */
  | { kind: 'param'; name: string }
) & {
  /** Maximum size: bytes of a string, elements of a list or map. */
  maxSize?: number;
};

const simpleTypes = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'null', 'timestamp', 'duration', 'dyn', 'free'] as const;

/** The types without parameters. */
export const celTypes = Object.fromEntries(simpleTypes.map((kind) => [kind, { kind }])) as Record<SimpleKind, { kind: SimpleKind }>;

export const listOf = (element: CelType): CelType => ({ kind: 'list', element });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });

const protobufNames: Partial<Record<CelType['kind'], string>> = {
  null: 'null',
  timestamp: 'timestamp',
  duration: 'duration',
  free: 'dyn',
};

/** A type in error messages, such as `list(string)`. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.element)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.element)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
    case 'object':
    case 'opaque':
    case 'param':
      return type.name;
    default:
      return protobufNames[type.kind] ?? type.kind;
  }
}

/** Bindings of the type parameters of a call. */
export type Bindings = Map<string, CelType>;

const isAny = ({ kind }: CelType) => kind === 'dyn' || kind === 'free';

/** Types that may be null. */
const nullable = new Set<CelType['kind']>(['object', 'opaque', 'optional', 'timestamp', 'duration', 'null']);

/** Whether a value of a type can be used where another is expected; binds type parameters. */
export function isAssignable(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  if (expected.kind === 'param') {
    const bound = bindings.get(expected.name);
    if (bound === undefined || isAssignable(bound, actual, bindings)) {
      if (bound === undefined || isMoreGeneral(actual, bound)) bindings.set(expected.name, actual);
      return true;
    }
    if (!isAssignable(actual, bound, bindings)) return false;
    bindings.set(expected.name, actual);
    return true;
  }
  if (isAny(expected) || isAny(actual)) return true;
  if (actual.kind === 'null') return nullable.has(expected.kind);
  if (expected.kind === 'list' && actual.kind === 'list') return isAssignable(expected.element, actual.element, bindings);
  if (expected.kind === 'map' && actual.kind === 'map') {
    return isAssignable(expected.key, actual.key, bindings) && isAssignable(expected.value, actual.value, bindings);
  }
  if (expected.kind === 'optional' && actual.kind === 'optional') return isAssignable(expected.element, actual.element, bindings);
  if (expected.kind === 'type' && actual.kind === 'type') return true;
  if ((expected.kind === 'object' || expected.kind === 'opaque') && expected.kind === actual.kind) return expected.name === actual.name;
  return expected.kind === actual.kind;
}

/** Whether a type should replace another one that a parameter is bound to. */
function isMoreGeneral(actual: CelType, bound: CelType): boolean {
  if (bound.kind === 'free') return true;
  if (actual.kind === 'dyn') return bound.kind !== 'dyn';
  if (bound.kind === 'null') return actual.kind !== 'null' && !isAny(actual);
  if (bound.kind === 'list' && actual.kind === 'list') return isMoreGeneral(actual.element, bound.element);
  if (bound.kind === 'map' && actual.kind === 'map') {
    return isMoreGeneral(actual.key, bound.key) || isMoreGeneral(actual.value, bound.value);
  }
  return bound.kind === 'optional' && actual.kind === 'optional' && isMoreGeneral(actual.element, bound.element);
}

/** A type with its parameters replaced. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? celTypes.free;
    case 'list':
      return { ...type, element: substitute(type.element, bindings) };
    case 'map':
      return { ...type, key: substitute(type.key, bindings), value: substitute(type.value, bindings) };
    case 'optional':
      return { kind: 'optional', element: substitute(type.element, bindings) };
    case 'type':
      return { kind: 'type', of: substitute(type.of, bindings) };
    default:
      return type;
  }
}

/** The type of values of two types: dyn, unless they agree. */
export function joinTypes(a: CelType, b: CelType): CelType {
  const bindings: Bindings = new Map();
  const one: CelType = { kind: 'param', name: 'T' };
  if (isAssignable(one, a, bindings) && isAssignable(one, b, bindings)) return substitute(one, bindings);
  return celTypes.dyn;
}
