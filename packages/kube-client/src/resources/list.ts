import { type ApiCallOptions, apiStatusOf, type KubeObject } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { invalidResponse, parseObject, tooLarge } from '../request/api-response.js';
import type { Requester } from '../request/requester.js';
import { type ResourceDefinition, resourcePath } from './paths.js';

/** Selects objects of a kind. */
export interface Selection {
  /** Default: all namespaces. */
  namespace?: string;
  fieldSelector?: string;
  labelSelector?: string;
}

/** A consistent list of objects at one resource version. */
export interface ObjectList<T extends KubeObject> {
  resourceVersion: string;
  items: T[];
}

const pageSize = 500;

/**
 * Lists in pages; if the continue token expires (410), lists everything with one request. A list that need not be
 * the newest uses one request too: the API server serves it from its watch cache, which ignores pages. Rejects with `ResponseTooLarge` if all
 * pages together exceed the limit of one response.
 */
export async function listAll<T extends KubeObject>(
  requester: Requester,
  definition: ResourceDefinition,
  { resourceVersion, signal, ...selection }: Selection & ApiCallOptions & { resourceVersion?: string },
): Promise<ObjectList<T>> {
  const path = resourcePath(definition, { namespace: selection.namespace });
  const { fieldSelector, labelSelector } = selection;
  const isPaged = resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0';
  let size = 0;
  const page = async (query: Readonly<Record<string, string | number | undefined>>) => {
    const request = { method: 'GET', path, query: { fieldSelector, labelSelector, ...query }, signal };
    const text = await requester.text(request);
    size += text.length;
    if (size > requester.maxResponseBytes) throw tooLarge({ method: 'GET', path }, requester.maxResponseBytes);
    return readList<T>({ method: 'GET', path }, text);
  };

  const first = await page({ resourceVersion, limit: isPaged ? pageSize : undefined });
  const items = first.items;
  let next = first.next;
  while (next !== undefined) {
    try {
      const more = await page({ limit: pageSize, continue: next });
      for (const item of more.items) items.push(item);
      next = more.next;
    } catch (error) {
      if (apiStatusOf(error)?.code !== 410) throw error;
      size = 0;
      return page({ resourceVersion });
    }
  }
  return { items, resourceVersion: first.resourceVersion };
}

/** Reads one page. Objects in a list have no `apiVersion` and `kind`, so they get those of the list. */
function readList<T extends KubeObject>(
  target: { method: string; path: string },
  text: string,
): ObjectList<T> & { next: string | undefined } {
  const list = parseObject(target, text);
  const { items, metadata, apiVersion, kind } = list;
  if (!Array.isArray(items ?? []) || !isObject(metadata) || typeof kind !== 'string')
    throw invalidResponse(target, 'the response is not a list');
  const itemKind = kind.replace(/List$/, '');
  const objects = ((items ?? []) as (T | unknown)[]).filter(isObject);
  for (const object of objects) {
    object.apiVersion ??= apiVersion;
    object.kind ??= itemKind;
  }
  const next = typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined;
  const result: object[] = objects;
  return { items: result as T[], resourceVersion: String(metadata.resourceVersion ?? ''), next };
}
