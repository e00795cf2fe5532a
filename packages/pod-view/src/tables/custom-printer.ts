import { formatAge } from '../format-age.js';
import { isObject, type JsonObject, parseTime } from '../objects.js';
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
    case 'date': {
      const time = typeof value === 'string' ? parseTime(value) : undefined;
      return time === undefined ? '<invalid>' : formatAge(now - time);
    }
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}
