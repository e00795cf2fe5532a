import { equalJson, isObject } from '@nodeagent/api/helpers';
import { badRequest, unprocessable } from './refusals.js';

interface Operation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string[];
  from: string[];
  value?: unknown;
}

const operations: readonly string[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const withValue: readonly string[] = ['add', 'replace', 'test'];
const withSource: readonly string[] = ['move', 'copy'];

/**
 * Applies a JSON Patch (RFC 6902) with the pointers of RFC 6901. All or nothing: the given document is not changed. Throws `BadRequest`
 * for a malformed JSON Patch and `Invalid` for one that does not fit the document, including a failed `test`.
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  return patch.map(parseOperation).reduce(applyOperation, document);
}

function parseOperation(operation: unknown): Operation {
  if (!isObject(operation)) throw badRequest('json: cannot unmarshal patch operation: it is no object');
  const { op, path, from, value } = operation;
  if (typeof op !== 'string' || !operations.includes(op)) throw unprocessable();
  if (withValue.includes(op) && value === undefined) throw unprocessable();
  return { op: op as Operation['op'], path: parsePointer(path), from: withSource.includes(op) ? parsePointer(from) : [], value };
}

function parsePointer(pointer: unknown): string[] {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) throw unprocessable();
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyOperation(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case 'add':
      return edit(document, path, () => value, 'insert');
    case 'remove':
      return edit(document, path, () => undefined, 'remove');
    case 'replace':
      return edit(document, path, () => value, 'replace');
    case 'copy':
      return edit(document, path, () => valueAt(document, from), 'insert');
    case 'move': {
      const moved = valueAt(document, from);
      if (path.length > from.length && from.every((token, i) => token === path[i])) throw unprocessable();
      return edit(
        edit(document, from, () => undefined, 'remove'),
        path,
        () => moved,
        'insert',
      );
    }
    case 'test':
      if (value === null && isAbsent(document, path)) return document;
      if (!equalJson(valueAt(document, path), value)) throw unprocessable();
      return document;
  }
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce((parent, token) => {
    if (Array.isArray(parent)) return parent[indexOf(token, parent.length - 1)];
    if (isObject(parent) && Object.hasOwn(parent, token)) return parent[token];
    throw unprocessable();
  }, document);
}

/** Whether the last field of the path is missing, which the API server takes for null. */
function isAbsent(document: unknown, path: readonly string[]): boolean {
  const [parent, name] = [valueAt(document, path.slice(0, -1)), path.at(-1)];
  return isObject(parent) && name !== undefined && !Object.hasOwn(parent, name);
}

type Edit = 'insert' | 'replace' | 'remove';

/** A copy of the document with one changed value; the rest is shared. */
function edit(parent: unknown, [token, ...rest]: readonly string[], value: () => unknown, how: Edit): unknown {
  if (token === undefined) {
    if (how === 'remove') throw unprocessable();
    return value();
  }
  if (Array.isArray(parent)) {
    if (rest.length > 0) {
      const index = indexOf(token, parent.length - 1);
      return parent.with(index, edit(parent[index], rest, value, how));
    }
    if (how === 'insert') return parent.toSpliced(token === '-' ? parent.length : indexOf(token, parent.length), 0, value());
    const index = indexOf(token, parent.length - 1);
    return how === 'remove' ? parent.toSpliced(index, 1) : parent.with(index, value());
  }
  if (!isObject(parent)) throw unprocessable();
  if ((rest.length > 0 || how !== 'insert') && !Object.hasOwn(parent, token)) throw unprocessable();
  if (rest.length > 0) return { ...parent, [token]: edit(parent[token], rest, value, how) };
  if (how !== 'remove') return { ...parent, [token]: value() };
  const { [token]: _, ...others } = parent;
  return others;
}

function indexOf(token: string, highest: number): number {
  const index = /^(0|[1-9][0-9]*)$/.test(token) ? Number(token) : Number.NaN;
  if (!(index <= highest)) throw unprocessable();
  return index;
}
