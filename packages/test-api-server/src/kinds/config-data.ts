import { decodeBase64, decodeUtf8, encodeBase64, encodeUtf8, equalJson, isObject, utf8Length } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import { badRequest } from '../status.js';
import { type KindFieldProblem, type KindRules, tooLong } from './kind-rules.js';

/** Maximum size of all values in bytes. */
const maxBytes = 1024 * 1024;

type Texts = Readonly<Record<string, string>>;

const unchangedOnceImmutable: NonNullable<KindRules['validateUpdate']> = (after, before) => {
  if (before.immutable !== true) return [];
  const changed = ['data', 'binaryData'].filter((field) => !equalJson(after[field] ?? null, before[field] ?? null));
  const lifted = after.immutable === true ? [] : ['immutable'];
  return [...changed, ...lifted].map((field) => ({ field, problem: 'Forbidden: field is immutable when `immutable` is set' }));
};

/** Kubernetes documentation, "ConfigMaps". */
export const configMapRules: KindRules = {
  prepareCreate: decodeConfigMap,
  prepareUpdate: decodeConfigMap,
  validate(object) {
    const [data, binary] = [texts(object, 'data'), texts(object, 'binaryData')];
    const twice = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
    const bytes = sizeOf(data) + decodedSizeOf(binary);
    return [
      ...Object.keys(data).flatMap((key) => keyProblems('data', key)),
      ...twice.map((key) => ({ field: `data[${key}]`, problem: `Invalid value: "${key}": duplicate of key present in binaryData` })),
      ...Object.keys(binary).flatMap((key) => keyProblems('binaryData', key)),
      // The path of the problem is the whole object.
      ...(bytes > maxBytes ? [tooLong('[]', maxBytes)] : []),
    ];
  },
  validateUpdate: unchangedOnceImmutable,
};

/** Kubernetes documentation, "Secrets". */
export const secretRules: KindRules = {
  prepareCreate: prepareSecret,
  prepareUpdate: prepareSecret,
  validate(object) {
    const data = texts(object, 'data');
    return [
      ...Object.keys(data).flatMap((key) => keyProblems('data', key)),
      ...(decodedSizeOf(data) > maxBytes ? [tooLong('data', maxBytes)] : []),
      ...typeProblems(object, data),
    ];
  },
  validateUpdate: (after, before, subresource) => [
    ...unchangedOnceImmutable(after, before, subresource),
    ...(after.type === before.type ? [] : [{ field: 'type', problem: `Invalid value: ${JSON.stringify(after.type)}: field is immutable` }]),
  ],
};

/** `stringData` is write-only: it is merged into `data`. */
function prepareSecret(object: ApiObject): void {
  object.type ??= 'Opaque';
  const { stringData } = object;
  delete object.stringData;
  requireTexts(object, 'data', 'base64');
  if (!isObject(stringData)) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, encodeBase64(encodeUtf8(String(text)))]);
  object.data = { ...(object.data as object), ...Object.fromEntries(encoded) };
}

function decodeConfigMap(object: ApiObject): void {
  requireTexts(object, 'data', 'text');
  requireTexts(object, 'binaryData', 'base64');
}

const texts = (object: ApiObject, field: string): Texts => (isObject(object[field]) ? (object[field] as Texts) : {});
const sizeOf = (values: Texts) => Object.values(values).reduce((sum, value) => sum + utf8Length(value), 0);
const decodedSizeOf = (values: Texts) => Object.values(values).reduce((sum, value) => sum + decodeBase64(value ?? '').length, 0);

/** Throws 400 for values that cannot be decoded; a null of binary data is empty. */
function requireTexts(object: ApiObject, field: string, form: 'text' | 'base64'): void {
  const { kind } = object;
  const refuse = (why: string) => badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${why}`);
  for (const value of Object.values(texts(object, field)) as unknown[]) {
    if (value === null) continue;
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    const goType = form === 'text' ? 'string' : '[]uint8';
    if (typeof value !== 'string') throw refuse(`json: cannot unmarshal ${type} into Go struct field ${kind}.${field} of type ${goType}`);
    const at = form === 'base64' ? illegalBase64(value) : undefined;
    if (at !== undefined) throw refuse(`illegal base64 data at input byte ${at}`);
  }
}

/** Where a text stops to be base64; undefined if it is. */
function illegalBase64(text: string): number | undefined {
  const plain = text.replace(/[\r\n]/g, '');
  const valid = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(plain)?.[0].length ?? 0;
  if (valid === plain.length) return undefined;
  const wrong = /[^A-Za-z0-9+/]/.exec(plain.slice(valid));
  return wrong ? valid + wrong.index : valid;
}

/** The rules of keys, which become file names. */
function keyProblems(field: string, key: string): KindFieldProblem[] {
  const rules = [
    ...(key.length > 253 ? ['must be no more than 253 bytes'] : []),
    ...(/^[-._a-zA-Z0-9]+$/.test(key) ? [] : [keyRule]),
    ...(key === '.' || key === '..' ? [`must not be '${key}'`] : key.startsWith('..') ? ["must not start with '..'"] : []),
  ];
  return rules.map((rule) => ({ field: `${field}[${key}]`, problem: `Invalid value: ${JSON.stringify(key)}: ${rule}` }));
}

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
  "regex used for validation is '[-._a-zA-Z0-9]+')";

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** What a secret of a built-in type must have. */
function typeProblems({ type, metadata }: ApiObject, data: Texts): KindFieldProblem[] {
  const required = (field: string): KindFieldProblem => ({ field, problem: 'Required value' });
  const account = 'kubernetes.io/service-account.name';
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return metadata.annotations?.[account] ? [] : [required(`metadata.annotations[${account}]`)];
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : [required('data[username]'), required('data[password]')];
    case 'kubernetes.io/dockercfg':
    case 'kubernetes.io/dockerconfigjson':
      return [...missingKeys(type, data).map(required), ...jsonProblems(requiredKeys[type]?.[0] ?? '', data)];
    default:
      return missingKeys(String(type), data).map(required);
  }
}

const missingKeys = (type: string, data: Texts): string[] =>
  (requiredKeys[type] ?? []).filter((key) => !(key in data)).map((key) => `data[${key}]`);

function jsonProblems(key: string, data: Texts): KindFieldProblem[] {
  const text = data[key];
  if (text === undefined) return [];
  try {
    if (isObject(JSON.parse(decodeUtf8(decodeBase64(text))))) return [];
  } catch {
    // Reported below.
  }
  return [{ field: `data[${key}]`, problem: 'Invalid value: "<secret contents redacted>": must be a JSON object' }];
}
