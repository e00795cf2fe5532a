import { errorMessage } from '@nodeagent/api';
import { isObject, nearestName, parseTime, Quantity } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';
import type { FieldType, StructType } from './schema.js';

/** Receives the findings of {@link checkTypes}. */
export interface TypeReport {
  problems: FieldProblems;
  warnings: string[];
  /** How the manifest writes the scalar of a field, for messages. */
  written(field: string): string | undefined;
}

/**
 * Decodes a value to its type as the kubelet does: omits null and unknown fields, the latter with a warning, and normalises quantities. A
 * value of a wrong type is a problem. Undefined means absent.
 */
export function checkTypes(value: unknown, type: FieldType, field: string, report: TypeReport): unknown {
  if (value === null || value === undefined || type.kind === 'ignored') return undefined;
  switch (type.kind) {
    case 'text':
      if (typeof value === 'string') return value;
      return wrongType(value, 'text', field, report, quotable(value, field, report));
    case 'flag':
      if (typeof value === 'boolean') return value;
      return wrongType(value, 'true or false', field, report);
    case 'integer':
      return checkInteger(value, type.bits, field, report);
    case 'intOrText':
      return typeof value === 'string' ? value : checkInteger(value, 32, field, report, 'a number or text');
    case 'quantity':
      return checkQuantity(value, field, report);
    case 'time':
      if (typeof value === 'string' && parseTime(value) !== undefined) return value;
      return wrongType(value, 'a time such as "2026-01-01T00:00:00Z"', field, report);
    case 'list':
      return checkList(value, type.of, field, report);
    case 'map':
      return checkMap(value, type.of, field, report);
    case 'struct':
      return checkStruct(value, type, field, report);
  }
}

function checkInteger(value: unknown, bits: 32 | 64, field: string, report: TypeReport, wanted = 'a whole number'): unknown {
  if (typeof value !== 'number') return wrongType(value, wanted, field, report);
  if (!Number.isInteger(value)) return wrongType(value, wanted, field, report);
  const limit = 2 ** (bits - 1);
  if (value >= -limit && (bits === 64 ? value <= limit : value < limit)) return value;
  report.problems.add(field, `must fit in ${bits} bits, but is ${report.written(field) ?? value}`);
  return undefined;
}

function checkQuantity(value: unknown, field: string, report: TypeReport): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return wrongType(value, 'an amount such as "500m" or "1Gi"', field, report);
  }
  try {
    return Quantity.parse(typeof value === 'string' ? value.trim() : value).toString();
  } catch (error) {
    report.problems.invalid(field, (typeof value === 'number' && report.written(field)) || value, errorMessage(error));
    return undefined;
  }
}

function checkList(value: unknown, of: FieldType, field: string, report: TypeReport): unknown {
  if (!Array.isArray(value)) return wrongType(value, 'a list', field, report, isObject(value) ? 'begin each entry with "- "' : undefined);
  return value.map((entry, index) => checkTypes(entry, of, `${field}[${index}]`, report) ?? zeroOf(of));
}

function checkMap(value: unknown, of: FieldType, field: string, report: TypeReport): unknown {
  if (!isObject(value)) return wrongType(value, 'a map', field, report);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, checkTypes(entry, of, `${field}[${key}]`, report) ?? zeroOf(of)]),
  );
}

function checkStruct(value: unknown, type: StructType, field: string, report: TypeReport): unknown {
  if (!isObject(value)) return wrongType(value, 'a map', field, report);
  const result: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const path = field === '' ? key : `${field}.${key}`;
    const entryType = type.fields.get(key);
    if (entryType === undefined) {
      const meant = nearestName(key, type.fields.keys());
      report.warnings.push(`${path}: unknown field${meant === undefined ? '' : `, did you mean "${meant}"?`}`);
      continue;
    }
    const checked = checkTypes(entry, entryType, path, report);
    if (checked !== undefined) result[key] = checked;
  }
  return result;
}

/** The value of an empty list entry or map value. */
function zeroOf(type: FieldType): unknown {
  switch (type.kind) {
    case 'flag':
      return false;
    case 'integer':
    case 'intOrText':
      return 0;
    case 'quantity':
      return '0';
    case 'list':
      return [];
    case 'map':
    case 'struct':
      return {};
    default:
      return '';
  }
}

function wrongType(value: unknown, wanted: string, field: string, report: TypeReport, hint?: string): undefined {
  report.problems.add(field, `must be ${wanted}, not ${describeValue(value, report.written(field))}`, hint);
  return undefined;
}

function quotable(value: unknown, field: string, report: TypeReport): string | undefined {
  if (typeof value === 'boolean') return `put it in quotes: "${value}"`;
  return typeof value === 'number' ? `put it in quotes: "${report.written(field) ?? value}"` : undefined;
}

/** Describes the value's type for messages; a number as it is written. */
export function describeValue(value: unknown, written?: string): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? `the number ${written ?? value}` : String(value);
}
