import { isObject } from '@nodeagent/api/helpers';
import { ageOf } from '../format-age.js';
import type { JsonObject } from '../json-object.js';
import type { TableCell, TablePrinter } from '../printers/printer.js';
import { jsonPath } from './json-path.js';

/** An entry of a CustomResourceDefinition's `additionalPrinterColumns`. */
export interface AdditionalPrinterColumn {
  name: string;
  /** `string`, `integer`, `number`, `boolean` or `date`. */
  type: string;
  format?: string;
  description?: string;
  /** Above 0: only for `-o wide`. Default 0. */
  priority?: number;
  jsonPath: string;
}

const nameColumn = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };
const ageColumn = { name: 'Age', type: 'date', format: '', description: '', priority: 0 };

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

const name = (object: JsonObject): TableCell => String(metadataOf(object).name ?? '');

const age = (object: JsonObject, now: number): TableCell => cell(metadataOf(object).creationTimestamp, 'date', now) ?? '<unknown>';

/** The printer of a custom resource: its name and the columns of its definition, or its age without columns. */
export function customPrinter(columns: readonly AdditionalPrinterColumn[]): TablePrinter {
  if (columns.length === 0) return { columns: [nameColumn, ageColumn], cells: (object, now) => [name(object), age(object, now)] };
  const paths = columns.map((column) => ({ find: jsonPath(column.jsonPath), type: column.type }));
  return {
    columns: [
      nameColumn,
      ...columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({ name, type, format, description, priority })),
    ],
    cells: (object, now) => [name(object), ...paths.map(({ find, type }) => cell(find([object])[0], type, now))],
  };
}

function cell(value: unknown, type: string, now: number): TableCell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateText(value, now) : null;
    default:
      return typeof value === 'object' ? jsonText(value) : typeof value === 'number' ? numberText(value) : String(value);
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function dateText(value: string, now: number): string {
  if (value === '' || value === 'null') return '<unknown>';
  if (!rfc3339.test(value) || Number.isNaN(Date.parse(value))) return '<invalid>';
  return ageOf(value, now) ?? '<unknown>';
}

/** JSON as the API server writes it: sorted keys, and `<`, `>` and `&` escaped. */
function jsonText(value: unknown): string {
  const sorted = (_key: string, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each;
  return JSON.stringify(value, sorted).replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** A number as the API server prints it: a fraction from a million on, or below a ten-thousandth, has an exponent of two digits. */
function numberText(value: number): string {
  if (Number.isInteger(value) || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6)) return String(value);
  return value.toExponential().replace(/([+-])(\d)$/, '$10$2');
}
