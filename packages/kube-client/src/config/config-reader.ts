import { decodeBase64, decodeUtf8, isAbsolute, isObject, join } from '@nodeagent/api/helpers';
import type { Pem } from './cluster-config.js';
import { kubeconfigError } from './kubeconfig-error.js';

/** Reads the fields of one object of a kubeconfig; every error names file and field. */
export interface ConfigReader {
  readonly has: (name: string) => boolean;
  /** The string; undefined if empty or absent. */
  text(name: string): string | undefined;
  requiredText(name: string): string;
  flag(name: string): boolean;
  object(name: string): ConfigReader | undefined;
  /** The objects of a list. */
  list(name: string): ConfigReader[];
  texts(name: string): string[];
  /** The unparsed value. */
  value(name: string): unknown;
  /** A path, relative to the folder of the file. */
  path(name: string): string | undefined;
  /** PEM from `<name>-data` in base64, else from the file at `name`. */
  pem(name: string): Pem | undefined;
  fail(name: string, problem: string, hint?: string): Error;
}

/** A file's folder and name, for relative paths and errors. */
export interface ConfigOrigin {
  file: string;
  folder: string;
}

export function createConfigReader(object: Record<string, unknown>, origin: ConfigOrigin, prefix = ''): ConfigReader {
  const field = (name: string) => (prefix === '' ? name : `${prefix}.${name}`);
  const fail = (name: string, problem: string, hint?: string) => kubeconfigError(origin.file, field(name), problem, hint);
  const value = (name: string) => (object[name] === null ? undefined : object[name]);
  const child = (name: string, part: unknown) => {
    if (!isObject(part)) throw kubeconfigError(origin.file, field(name), 'must be an object');
    return createConfigReader(part, origin, field(name));
  };
  const array = (name: string): unknown[] => {
    const found = value(name) ?? [];
    if (!Array.isArray(found)) throw fail(name, 'must be a list');
    return found;
  };

  const reader: ConfigReader = {
    has: (name) => value(name) !== undefined && value(name) !== '',
    value,
    fail,
    text(name) {
      const found = value(name) ?? '';
      if (typeof found !== 'string') throw fail(name, 'must be a string');
      return found === '' ? undefined : found;
    },
    requiredText(name) {
      const found = reader.text(name);
      if (found === undefined) throw fail(name, 'is missing');
      return found;
    },
    flag(name) {
      const found = value(name) ?? false;
      if (typeof found !== 'boolean') throw fail(name, 'must be true or false');
      return found;
    },
    object: (name) => (value(name) === undefined ? undefined : child(name, value(name))),
    list: (name) => array(name).map((part, index) => child(`${name}[${index}]`, part)),
    texts: (name) =>
      array(name).map((part, index) => {
        if (typeof part !== 'string') throw fail(`${name}[${index}]`, 'must be a string');
        return part;
      }),
    path(name) {
      const found = reader.text(name);
      return found === undefined || isAbsolute(found) ? found : join(origin.folder, found);
    },
    pem(name) {
      const data = reader.text(`${name}-data`);
      if (data === undefined) {
        const file = reader.path(name);
        return file === undefined ? undefined : { file };
      }
      const decoded = decodeUtf8(decodeBase64(data));
      if (!decoded.includes('-----BEGIN ')) throw fail(`${name}-data`, 'must be PEM in base64');
      return { data: decoded };
    },
  };
  return reader;
}
