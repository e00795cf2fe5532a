import type { JsonObject } from '../json-object.js';
import type { TableCell, TableColumn, TablePrinter, TableRowCondition } from '../printers/printer.js';
import { printerOf } from '../printers/printers.js';
import { type AdditionalPrinterColumn, customPrinter } from './custom-printer.js';

/** A list of objects as rows of text, which `kubectl get` requests (`meta.k8s.io/v1`, `Table`). */
export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: TableColumn[];
  rows: TableRow[];
}

/** A row of a {@link Table}: a cell for each of its columns. */
export interface TableRow {
  cells: TableCell[];
  /** The object, or only its metadata (`PartialObjectMetadata`). Absent if not requested. */
  object?: JsonObject;
  conditions?: TableRowCondition[];
}

/** Options of {@link tableOf}. */
export interface TableOptions {
  /** The reference time of ages, in milliseconds since 1970. */
  now: number;
  /** `additionalPrinterColumns` of a custom resource; `[]` if its definition has none. Absent for built-in resources. */
  columns?: readonly AdditionalPrinterColumn[];
  /** The printer of a resource of an aggregated server. Default: by `columns`, or that of the built-in resource. */
  printer?: TablePrinter;
  /** The part of each object in its row: the request's `includeObject`. Default `Metadata`. */
  includeObject?: 'Metadata' | 'Object' | 'None';
  /** The list's own metadata, such as its resourceVersion. */
  metadata?: Table['metadata'];
}

/**
 * The Table of objects of one resource with the columns that the API server sends and kubectl shows. A resource is named by its plural
 * and its group: `pods`, `deployments.apps`. Kubernetes documentation, "API Concepts: Receiving resources as Tables".
 */
export function tableOf(resource: string, objects: readonly JsonObject[], options: TableOptions): Table {
  const {
    now,
    columns,
    printer = columns ? customPrinter(columns) : printerOf(resource),
    includeObject = 'Metadata',
    metadata = {},
  } = options;
  const { columns: columnDefinitions, cells, conditions } = printer;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [...columnDefinitions],
    rows: objects.map((object) => {
      const rowConditions = conditions?.(object) ?? [];
      return {
        cells: cells(object, now),
        ...(includeObject !== 'None' && { object: includeObject === 'Object' ? object : onlyMetadata(object) }),
        ...(rowConditions.length > 0 && { conditions: rowConditions }),
      };
    }),
  };
}

/** Only the metadata of an object (`meta.k8s.io/v1`, `PartialObjectMetadata`). */
export function onlyMetadata({ metadata }: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
