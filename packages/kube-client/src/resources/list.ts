import { type ApiCallOptions, apiStatusOf, isObject, type KubeObject } from '@nodeagent/api';
import { invalidAnswer, parseObject } from '../request/api-answer.js';
import type { Requester } from '../request/requester.js';
import { type ResourceDefinition, resourcePath } from './paths.js';

/** Which objects of a kind. */
export interface Selection {
  /** Default: all namespaces. */
  namespace?: string;
  fieldSelector?: string;
  labelSelector?: string;
}

/** Objects as they were at one moment. */
export interface ObjectList<T extends KubeObject> {
  resourceVersion: string;
  items: T[];
}

const pageSize = 500;

/**
 * Lists in pages; if the server forgets the moment between two of them (410), everything is asked for at once. A list that need not be
 * the newest is asked for at once too: that the API server answers it from its cache, which knows no pages.
 */
export async function listAll<T extends KubeObject>(
  requester: Requester,
  definition: ResourceDefinition,
  { resourceVersion, signal, ...selection }: Selection & ApiCallOptions & { resourceVersion?: string },
): Promise<ObjectList<T>> {
  const path = resourcePath(definition, { namespace: selection.namespace });
  const { fieldSelector, labelSelector } = selection;
  const isPaged = resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0';
  const page = async (query: Readonly<Record<string, string | number | undefined>>) => {
    const request = { method: 'GET', path, query: { fieldSelector, labelSelector, ...query }, ...(signal && { signal }) };
    return readList<T>({ method: 'GET', path }, await requester.text(request));
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
      return page({ resourceVersion });
    }
  }
  return { items, resourceVersion: first.resourceVersion };
}

/** One page. The objects of a list do not say what they are; they are given the list's own version and kind. */
function readList<T extends KubeObject>(
  asked: { method: string; path: string },
  text: string,
): ObjectList<T> & { next: string | undefined } {
  const list = parseObject(asked, text);
  const { items, metadata, apiVersion, kind } = list;
  if (!Array.isArray(items ?? []) || !isObject(metadata) || typeof kind !== 'string') throw invalidAnswer(asked, 'the answer is no list');
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
