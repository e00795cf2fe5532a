import { onlyMetadata, tableOf } from '@nodeagent/pod-view/tables';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { apiVersionOf, type ServedResource } from '../registry/resource.js';
import type { Shape } from './media-types.js';
import { metricsGroup } from './metrics.js';
import { metricsPrinter } from './metrics-table.js';

/** Metadata of a list; only lists of stored objects have a version. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** Options of a table: `includeObject` of a request. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Converts objects, already in the resource's version, to the form that the client accepts. */
export class Presentation {
  readonly #context: ApiContext;
  readonly #definition: ServedResource;
  readonly #shape: Shape;
  readonly #include: IncludeObject;
  /** Whether a table has named the columns: of the tables of a watch only the first one does. */
  #hasColumns = false;

  constructor(context: ApiContext, definition: ServedResource, shape: Shape, include: IncludeObject) {
    this.#context = context;
    this.#definition = definition;
    this.#shape = shape;
    this.#include = include;
  }

  one(object: ApiObject): object {
    if (this.#shape === 'table') return this.#table([object], { resourceVersion: object.metadata.resourceVersion ?? '' });
    return this.#shape === 'metadata' ? onlyMetadata(object) : object;
  }

  list(objects: ApiObject[], metadata: ListMeta): object {
    if (this.#shape === 'table') return this.#table(objects, metadata);
    if (this.#shape === 'metadata') {
      return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects.map(onlyMetadata) };
    }
    return { kind: this.#definition.listKind, apiVersion: apiVersionOf(this.#definition), metadata, items: objects };
  }

  #table(objects: ApiObject[], metadata: ListMeta): object {
    const { custom, group, resource } = this.#definition;
    const table = tableOf(group === '' ? resource : `${resource}.${group}`, objects, {
      now: this.#context.clock.now(),
      includeObject: this.#include,
      metadata,
      ...(custom && { columns: custom.printerColumns ?? [] }),
      ...(group === metricsGroup && { printer: metricsPrinter }),
    });
    if (this.#hasColumns) return { ...table, columnDefinitions: null };
    this.#hasColumns = true;
    return table;
  }
}
