import { equalJson, isObject } from '@nodeagent/api/helpers';
import { maxBodyBytes } from '../requests/body-size.js';
import { badRequest, tooManyOperations, unprocessable } from './refusals.js';

interface Operation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string[];
  from: string[];
  value: unknown;
}

const operations: readonly string[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const withSource: readonly string[] = ['move', 'copy'];

/** Maximum number of operations of a JSON Patch. */
const maxOperations = 10_000;

/**
 * Applies a JSON Patch (RFC 6902) with the pointers of RFC 6901. All or nothing: the given document is not changed. As a cluster does, it
 * takes an absent value for null, and adds a field that `replace` does not find. Throws `BadRequest` for a malformed JSON Patch,
 * `RequestEntityTooLarge` for more than 10,000 operations, and `Invalid` for one that does not fit the document, including a failed
 * `test`, and for copies of more than the size of a request.
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (patch === null) return document;
  const into = (type: string) => badRequest(`error decoding patch: json: cannot unmarshal ${goKind(patch)} into Go value of type ${type}`);
  if (!Array.isArray(patch)) throw into('[]handlers.jsonPatchOp');
  if (patch.length > maxOperations) throw tooManyOperations(maxOperations, patch.length);
  return new PatchedDocument(document).apply(patch.map(parseOperation));
}

const goKind = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value);

function parseOperation(operation: unknown): Operation {
  if (operation === null) throw unprocessable();
  if (!isObject(operation)) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goKind(operation)} into Go value of type handlers.jsonPatchOp`);
  }
  const { op, path, from, value = null } = operation;
  if (typeof op !== 'string' || !operations.includes(op)) throw unprocessable();
  return { op: op as Operation['op'], path: parsePointer(path), from: withSource.includes(op) ? parsePointer(from) : [], value };
}

/** The tokens of a pointer; what precedes its first slash does not count. */
function parsePointer(pointer: unknown): string[] {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.includes('/')) throw unprocessable();
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Edit = 'insert' | 'replace' | 'remove';

/** A document under a patch: what an operation changes is copied once, the rest is shared with the document that was given. */
class PatchedDocument {
  #document: unknown;
  /** Objects and lists that nothing else refers to. */
  readonly #own = new WeakSet<object>();
  #copiedBytes = 0;

  constructor(document: unknown) {
    this.#document = document;
  }

  apply(patch: readonly Operation[]): unknown {
    for (const operation of patch) this.#apply(operation);
    return this.#document;
  }

  #apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        this.#edit(path, 'insert', value);
        break;
      case 'remove':
        this.#edit(path, 'remove');
        break;
      case 'replace':
        this.#edit(path, 'replace', value);
        break;
      case 'copy':
        this.#edit(path, 'insert', this.#copyOf(valueAt(this.#document, from)));
        break;
      case 'move': {
        const moved = valueAt(this.#document, from);
        if (path.length > from.length && from.every((token, index) => token === path[index])) throw unprocessable();
        this.#edit(from, 'remove');
        this.#edit(path, 'insert', moved);
        break;
      }
      case 'test':
        if (value === null && isAbsent(this.#document, path)) return;
        if (!equalJson(valueAt(this.#document, path), value)) throw unprocessable();
    }
  }

  /** A value for a second place. Copies of copies would grow without a limit. */
  #copyOf(value: unknown): unknown {
    const text = JSON.stringify(value) ?? 'null';
    this.#copiedBytes += text.length;
    if (this.#copiedBytes > maxBodyBytes) throw unprocessable();
    return JSON.parse(text);
  }

  #edit(path: readonly string[], how: Edit, value?: unknown): void {
    const name = path.at(-1);
    if (name === undefined) {
      if (how === 'remove') throw unprocessable();
      this.#document = value;
      return;
    }
    let parent = this.#owned(this.#document);
    this.#document = parent;
    for (const token of path.slice(0, -1)) {
      const child = this.#owned(childOf(parent, token));
      set(parent, token, child);
      parent = child;
    }
    if (Array.isArray(parent)) editList(parent, name, how, value);
    else if (how !== 'remove') set(parent, name, value);
    else if (!Object.hasOwn(parent, name)) throw unprocessable();
    else delete (parent as Record<string, unknown>)[name];
  }

  /** The value itself if it may be changed, otherwise a copy. */
  #owned(value: unknown): object {
    if (typeof value !== 'object' || value === null) throw unprocessable();
    if (this.#own.has(value)) return value;
    const own = Array.isArray(value) ? [...value] : { ...value };
    this.#own.add(own);
    return own;
  }
}

function editList(list: unknown[], token: string, how: Edit, value: unknown): void {
  if (how === 'insert') list.splice(token === '-' ? list.length : indexOf(token, list.length), 0, value);
  else if (how === 'remove') list.splice(indexOf(token, list.length - 1), 1);
  else list[indexOf(token, list.length - 1)] = value;
}

function set(parent: object, token: string, value: unknown): void {
  if (Array.isArray(parent)) parent[indexOf(token, parent.length - 1)] = value;
  // Not an assignment, because `__proto__` is a valid name.
  else Object.defineProperty(parent, token, { value, writable: true, enumerable: true, configurable: true });
}

function childOf(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) return parent[indexOf(token, parent.length - 1)];
  if (isObject(parent) && Object.hasOwn(parent, token)) return parent[token];
  throw unprocessable();
}

const valueAt = (document: unknown, path: readonly string[]): unknown => path.reduce(childOf, document);

/** Whether the last field of the path is missing, which the API server takes for null. */
function isAbsent(document: unknown, path: readonly string[]): boolean {
  const [parent, name] = [valueAt(document, path.slice(0, -1)), path.at(-1)];
  return isObject(parent) && name !== undefined && !Object.hasOwn(parent, name);
}

function indexOf(token: string, highest: number): number {
  const index = /^(0|[1-9][0-9]*)$/.test(token) ? Number(token) : Number.NaN;
  if (!(index <= highest)) throw unprocessable();
  return index;
}
