import type { JsonObject } from '../json-object.js';

/** A column of a Table (`meta.k8s.io/v1`); those with a priority above 0 are shown by `kubectl get -o wide` only. */
export interface TableColumn {
  name: string;
  /** `string`, `integer`, `number`, `boolean` or `date`. */
  type: string;
  /** `name` for the object's name. */
  format: string;
  description: string;
  priority: number;
}

/** A condition of a row; kubectl uses it to hide completed objects. */
export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export type TableCell = string | number | boolean | null | readonly unknown[] | JsonObject;

/** The printer of one kind: its columns, and a row with a cell for each. `now` is in milliseconds since 1970. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  readonly cells: (object: JsonObject, now: number) => TableCell[];
  readonly conditions?: (object: JsonObject) => TableRowCondition[];
}

function column(text: string, index: number): TableColumn {
  const [, name = '', type, wide] = /^([^:*]*)(?::(\w+))?(\*)?$/.exec(text) ?? [];
  const isName = type === 'name' || (type === undefined && index === 0 && name === 'Name');
  return { name, type: isName ? 'string' : (type ?? 'string'), format: isName ? 'name' : '', description: '', priority: wide ? 1 : 0 };
}

/**
 * A printer with abbreviated columns: `Data:integer`, `Images*` for a column of `-o wide`, `Attacher:name` for a string of the format `name`,
 * which a first column `Name` without a type has anyway. The types are those that the API server declares; cells may have another.
 */
export function printer(columns: string, cells: TablePrinter['cells'], conditions?: TablePrinter['conditions']): TablePrinter {
  return { columns: columns.split(', ').map(column), cells, ...(conditions && { conditions }) };
}
