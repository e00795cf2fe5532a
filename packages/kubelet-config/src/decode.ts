import { errorMessage } from '@nodeagent/api';
import { isObject, nearestName, Quantity } from '@nodeagent/api/helpers';
import { kubeletConfigurationErrors } from './configuration-error.js';
import { formatNanos, parseNanos } from './duration.js';
import { type FieldKind, type Fields, type KubeletConfiguration, kubeletConfigurationFields } from './fields.js';

/** A decoded configuration and its unknown fields. */
export interface DecodedConfiguration {
  configuration: KubeletConfiguration;
  /** One message for each unknown field, with the nearest known one. */
  unknownFields: string[];
}

/**
 * Decodes a configuration from plain JSON, without defaults. Durations and quantities get their canonical form; null is absent. Throws
 * `InvalidKubeletConfiguration` naming every field with a value of the wrong type.
 */
export function decodeConfiguration(value: unknown): DecodedConfiguration {
  if (!isObject(value)) throw kubeletConfigurationErrors(['must be an object']);
  const problems: string[] = [];
  const unknownFields: string[] = [];
  const configuration = decodeFields(value, kubeletConfigurationFields, '', { problems, unknownFields });
  if (problems.length > 0) throw kubeletConfigurationErrors(problems);
  return { configuration, unknownFields };
}

interface Findings {
  problems: string[];
  unknownFields: string[];
}

function decodeFields(value: Record<string, unknown>, fields: Fields, path: string, findings: Findings): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) {
      const near = nearestName(name, Object.keys(fields));
      findings.unknownFields.push(`unknown field "${path}${name}"${near ? `; did you mean "${path}${near}"?` : ''}`);
    } else if (entry !== null && entry !== undefined) {
      const result = decodeField(entry, kind, path + name, findings);
      if (result !== undefined) decoded[name] = result;
    }
  }
  return decoded;
}

function decodeField(value: unknown, kind: FieldKind, path: string, findings: Findings): unknown {
  const wrong = (demand: string) => {
    findings.problems.push(`${path}: must be ${demand}, not ${shown(value)}`);
    return undefined;
  };
  if (typeof kind === 'object') {
    if ('object' in kind) return isObject(value) ? decodeFields(value, kind.object, `${path}.`, findings) : wrong('an object');
    if (!Array.isArray(value)) return wrong('a list');
    return value.map((item, index) => {
      const at = `${path}[${index}]`;
      return isObject(item) ? decodeFields(item, kind.list, `${at}.`, findings) : decodeField(item, { object: kind.list }, at, findings);
    });
  }
  switch (kind) {
    case 'bool':
      return typeof value === 'boolean' ? value : wrong('true or false');
    case 'int32':
    case 'uint32':
    case 'int64':
      return Number.isSafeInteger(value) ? inRange(value as number, kind, path, findings) : wrong('a whole number');
    case 'number':
      return isFiniteNumber(value) ? value : wrong('a number');
    case 'text':
      return typeof value === 'string' ? value : wrong('a string');
    case 'durationOrNanos':
      return Number.isSafeInteger(value) ? value : decodeField(value, 'duration', path, findings);
    case 'duration': {
      const nanos = typeof value === 'string' ? parseNanos(value) : undefined;
      return nanos === undefined ? wrong('a duration such as "1m30s"') : formatNanos(nanos);
    }
    case 'texts':
      return isListOf(value, 'string') ? value : wrong('a list of strings');
    case 'values':
      return Array.isArray(value) && value.every((item) => typeof item === 'string' || isFiniteNumber(item))
        ? value
        : wrong('a list of strings and numbers');
    case 'textMap':
      return isObject(value) ? decodeMap(value, 'text', path, findings) : wrong('a map of strings');
    case 'boolMap':
      return isObject(value) ? decodeMap(value, 'bool', path, findings) : wrong('a map of booleans');
    case 'listMap':
      return isObject(value) ? decodeMap(value, 'texts', path, findings) : wrong('a map of lists of strings');
    case 'quantity':
      return decodeQuantity(value, path, findings);
    case 'quantityMap':
      return isObject(value) ? decodeMap(value, 'quantity', path, findings) : wrong('a map of quantities');
  }
}

const ranges = { int32: [-(2 ** 31), 2 ** 31 - 1], uint32: [0, 2 ** 32 - 1], int64: [-Infinity, Infinity] } as const;

/** A number that the field's type can hold; a kubelet does not decode others. */
function inRange(value: number, kind: keyof typeof ranges, path: string, { problems }: Findings): number | undefined {
  const [min, max] = ranges[kind];
  if (value >= min && value <= max) return value;
  problems.push(`${path}: must be a whole number from ${min} to ${max}, not ${value}`);
  return undefined;
}

/** Decodes the entries of a map, and omits null; each error names its entry. */
function decodeMap(value: Record<string, unknown>, kind: FieldKind, path: string, findings: Findings): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const result = entry === null ? undefined : decodeField(entry, kind, `${path}.${name}`, findings);
    if (result !== undefined) decoded[name] = result;
  }
  return decoded;
}

function decodeQuantity(value: unknown, path: string, { problems }: Findings): string | undefined {
  try {
    return Quantity.parse(String(value)).toString();
  } catch (error) {
    problems.push(`${path}: ${errorMessage(error)}`);
    return undefined;
  }
}

const isListOf = (value: unknown, type: 'string') => Array.isArray(value) && value.every((item) => typeof item === type);

/** YAML also has `.inf` and `.nan`, which JSON and the kubelet do not have. */
const isFiniteNumber = (value: unknown) => Number.isFinite(value);

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
