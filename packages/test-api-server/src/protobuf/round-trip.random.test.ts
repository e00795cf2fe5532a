import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { typeOfKind } from '../fields/built-in-types.js';
import type { ObjectField, ObjectType } from '../fields/object-type.js';
import { coreTypes } from '../fields/types/core-types.js';
import { groupTypes } from '../fields/types/group-types.js';
import { previewTypes } from '../fields/types/preview-types.js';
import { decodeObject, encodeObject } from './codec.js';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Every kind of the tables, and its list. */
function allKinds(): [apiVersion: string, kind: string][] {
  let version = '';
  return [coreTypes, groupTypes, previewTypes].flatMap((table) =>
    table.split('\n').flatMap((line): [string, string][] => {
      if (line.startsWith('# ')) version = line.slice(2);
      const kind = /^\+(\w+)/.exec(line)?.[1];
      return kind ? [[version, kind], ...(typeOfKind(version, `${kind}List`) ? [[version, `${kind}List`] as [string, string]] : [])] : [];
    }),
  );
}

class RandomObjects {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** An object as Go writes it: with all fields that it never omits, and some of the others. */
  object(type: ObjectType, depth = 0): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (const inner of type.inlined) if (inner.type) Object.assign(object, this.object(inner.type, depth));
    for (const field of type.fields.values()) {
      if (field.number === 0) continue;
      const isSet = this.#random() < (depth > 4 ? 0.02 : 0.5);
      if (isSet) object[field.name] = this.#value(field, depth);
      else if (field.isAlways) object[field.name] = empty(field);
    }
    return object;
  }

  #value(field: ObjectField, depth: number): unknown {
    const count = 1 + Math.floor(this.#random() * 3);
    if (field.isList) return Array.from({ length: count }, () => this.#one(field, depth));
    if (field.isMap) return Object.fromEntries(Array.from({ length: count }, () => [this.#text(), this.#one(field, depth)]));
    return this.#one(field, depth);
  }

  #one(field: ObjectField, depth: number): unknown {
    const { kind, type } = field;
    if (field.keepsZero && kind in zeros && this.#random() < 0.3) return zeros[kind];
    const number = Math.floor(this.#random() * 2 ** (this.#random() * 50)) + 1;
    switch (kind) {
      case 'object':
        return type ? this.object(type, depth + 1) : {};
      case 'string':
        return this.#text();
      case 'bytes':
        return Buffer.from(this.#text()).toString('base64');
      case 'int':
        return this.#random() < 0.5 ? number : -number;
      case 'double':
        return this.#random() + 0.5;
      case 'bool':
        return true;
      case 'time':
        return new Date(number % 4e12).toISOString().replace(/\.\d+/, '');
      case 'microTime':
        return new Date(number % 4e12).toISOString().replace('Z', '123Z');
      case 'duration':
        return `${1 + (number % 59)}s`;
      case 'quantity':
        return `${number}m`;
      case 'intOrString':
        return this.#random() < 0.5 ? number % 65_536 : `${number % 100}%`;
      case 'stringList':
        return [this.#text(), ''];
      case 'raw':
      case 'fieldsV1':
        return this.#random() < 0.5 ? { a: [this.#text(), null, 1.5] } : { 'f:spec': {} };
      case 'schemaOrBool':
        return this.#random() < 0.5 || type === undefined ? this.#random() < 0.5 : this.object(type, depth + 2);
      case 'schemaOrList':
        return this.#random() < 0.5 || type === undefined ? [] : this.object(type, depth + 2);
      case 'schemaOrStrings':
        return this.#random() < 0.5 || type === undefined ? [this.#text()] : this.object(type, depth + 2);
    }
  }

  #text(): string {
    const letters = ['a', 'Z', '-', '/', 'ü', '\u{1f600}', '\0', '"', '\ufeff'];
    const length = this.#random() < 0.05 ? 200 : 1 + Math.floor(this.#random() * 8);
    return Array.from({ length }, () => letters[Math.floor(this.#random() * letters.length)]).join('');
  }
}

const zeros: Record<string, unknown> = {
  string: '',
  bytes: '',
  int: 0,
  double: 0,
  bool: false,
  quantity: '0',
  intOrString: 0,
  duration: '0s',
};

/** What Go writes of an empty field that it does not omit. */
function empty({ isList, isMap, keepsZero, kind, type }: ObjectField): unknown {
  if (isList || isMap || keepsZero) return null;
  if (kind !== 'object') return zeros[kind] ?? null;
  return Object.fromEntries((type?.always ?? []).map((field) => [field.name, empty(field)]));
}

describe(`random objects (seed ${seed}, or TEST_SEED=n)`, () => {
  it.each(allKinds())('of %s %s are the same after encoding and decoding', (apiVersion, kind) => {
    const objects = new RandomObjects(seededRandom(seed));
    const type = typeOfKind(apiVersion, kind) as ObjectType;
    for (let i = 0; i < 5; i++) {
      const object = { apiVersion, kind, ...objects.object(type) };
      expect(decodeObject(encodeObject(object))).toEqual(object);
    }
  });
});
