import { isObject } from '@nodeagent/api/helpers';
import type * as Yaml from 'yaml';
import { YamlLimitError, yamlLimits } from './yaml-limits.js';

/** The plain value of a document, and its duplicate keys. */
export interface YamlValue {
  value: unknown;
  /** Offsets of duplicate keys in the text; the last value counts. */
  duplicates: number[];
}

/** The part of the limits that the documents of a text have used. */
export interface AliasBudget {
  aliases: number;
  aliasedValues: number;
}

interface Anchored {
  value: unknown;
  /** Number of values in it, including itself. */
  size: number;
}

/** The error of a document without a plain value; `offset` is its position in the text. */
export class YamlValueError extends Error {
  constructor(
    message: string,
    readonly offset: number | undefined,
  ) {
    super(message);
    this.name = 'YamlValueError';
  }
}

/**
 * Converts the nodes of a document to plain data in one pass: each node is visited once, an alias shares the value of its anchor, and
 * keys are compared through a set. The library's own conversion and its check of keys take quadratic time. Throws `YamlLimitError` and
 * `YamlValueError`.
 */
export function toYamlValue(yaml: typeof Yaml, root: unknown, spent: AliasBudget): YamlValue {
  const duplicates: number[] = [];
  const anchors = new Map<string, Anchored>();
  let values = 0;

  function resolve(alias: Yaml.Alias): unknown {
    const anchored = anchors.get(alias.source);
    if (anchored === undefined) throw failure('an alias without an anchor before it', alias);
    values += anchored.size;
    spent.aliases += 1;
    spent.aliasedValues += anchored.size;
    for (const limit of ['aliases', 'aliasedValues'] as const) if (spent[limit] > yamlLimits[limit]) throw new YamlLimitError(limit);
    return anchored.value;
  }

  function convert(node: unknown): unknown {
    if (yaml.isAlias(node)) return resolve(node);
    const before = values;
    values += 1;
    const value = convertContent(node);
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor) anchors.set(anchor, { value, size: values - before });
    return value;
  }

  function convertContent(node: unknown): unknown {
    if (yaml.isMap(node)) return convertMap(node);
    if (yaml.isSeq(node)) return node.items.map(convert);
    return yaml.isScalar(node) ? node.value : null;
  }

  function convertMap(node: Yaml.YAMLMap): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      if (yaml.isScalar(key) && typeof key.value === 'symbol') {
        merge(map, convert(value), key);
        continue;
      }
      const name = keyName(convert(key), key);
      if (keys.has(name)) duplicates.push(offsetOf(key) ?? 0);
      keys.add(name);
      define(map, name, convert(value));
    }
    return map;
  }

  return { value: convert(root), duplicates };
}

/** The source text of the scalar at a path. The last one of duplicate keys counts. */
export function writtenScalar(yaml: typeof Yaml, root: unknown, path: readonly (string | number)[]): string | undefined {
  let node: unknown = root;
  for (const step of path) {
    if (yaml.isMap(node)) node = node.items.findLast(({ key }) => yaml.isScalar(key) && keyName(key.value, key) === String(step))?.value;
    else if (yaml.isSeq(node)) node = node.items[Number(step)];
    else return undefined;
  }
  return yaml.isScalar(node) ? node.source : undefined;
}

/** Adds the keys that the map does not have: https://yaml.org/type/merge.html. */
function merge(map: Record<string, unknown>, source: unknown, key: unknown): void {
  for (const each of Array.isArray(source) ? source : [source]) {
    if (!isObject(each)) throw failure('a merge key (<<) requires a map or a list of maps', key);
    for (const [name, value] of Object.entries(each)) if (!Object.hasOwn(map, name)) define(map, name, value);
  }
}

function keyName(key: unknown, node: unknown): string {
  if (typeof key === 'object' && key !== null) throw failure('a key must be a string, a number or a boolean', node);
  return key === null ? '' : String(key);
}

/** Defines the property, because an assignment to `__proto__` would not create a key. */
function define(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
  else map[name] = value;
}

const offsetOf = (node: unknown) => (node as Partial<Yaml.Node> | null)?.range?.[0];

const failure = (message: string, node: unknown) => new YamlValueError(message, offsetOf(node));
