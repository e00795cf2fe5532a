import type { JsonObject } from '../patch/field-schema.js';

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

/** What a row says of its object beyond its cells; kubectl hides completed objects by it where it is asked to. */
export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export type Cell = string | number | boolean | null | readonly unknown[] | JsonObject;

/** How one kind is printed: its columns, and a row of as many cells. `now` is in milliseconds since 1970. */
export interface Printer {
  readonly columns: readonly TableColumn[];
  readonly cells: (object: JsonObject, now: number) => Cell[];
  readonly conditions?: (object: JsonObject) => TableRowCondition[];
}

function column(name: string): TableColumn {
  const [, bare = '', type = 'string', wide] = /^([^:*]*)(?::(\w+))?(\*)?$/.exec(name) ?? [];
  return { name: bare, type, format: bare === 'Name' ? 'name' : '', description: '', priority: wide ? 1 : 0 };
}

/** A printer whose columns are given in short: `Name`, `Data:integer`, `Images*` for one of `-o wide`. */
export function printer(columns: string, cells: Printer['cells'], conditions?: Printer['conditions']): Printer {
  return { columns: columns.split(', ').map(column), cells, ...(conditions && { conditions }) };
}
