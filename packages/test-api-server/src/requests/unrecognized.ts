import type { NodeAgentError } from '@nodeagent/api';
import { decodeUtf8, encodeUtf8, isObject } from '@nodeagent/api/helpers';
import { badRequest } from '../status.js';
import { jsonProblem } from './json-problem.js';

/** Number of bytes of a body that an error shows. */
const shownBytes = 30;

/** The error of a body from which no kind can be read. */
export function unrecognized(kind: string, problem: string, body: string | Uint8Array): NodeAgentError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem} (${shownBody(body)})`);
}

/** The beginning of a body: as text if it looks like an object in JSON, otherwise in hexadecimal. */
function shownBody(body: string | Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const bytes = typeof body === 'string' ? encodeUtf8(body.slice(0, shownBytes + 1)) : body;
  const shown = bytes.subarray(0, shownBytes);
  const text = bytes[0] === 0x7b ? decodeUtf8(shown) : [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > shownBytes ? `${text} ...` : text;
}

const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const noKind = "couldn't get version/kind; json parse error: ";
const jsonKind = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value);

/** The object of a JSON text. Null is an object without fields, as for Go. Throws 400 otherwise. */
export function readObject(text: string, kind: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    throw unrecognized(kind, noKind + (jsonProblem(text) ?? error.message), text);
  }
  return objectOf(value, kind, text);
}

/** A value as an object whose kind and version are texts. Throws 400. */
function objectOf(value: unknown, kind: string, text: string): Record<string, unknown> {
  if (value === null) return {};
  if (!isObject(value)) {
    throw unrecognized(kind, `${noKind}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${typeMeta}`, text);
  }
  for (const field of ['apiVersion', 'kind']) {
    const given = value[field] ?? '';
    if (typeof given === 'string') continue;
    throw unrecognized(kind, `${noKind}json: cannot unmarshal ${jsonKind(given)} into Go struct field .${field} of type string`, text);
  }
  const version = String(value.apiVersion ?? '');
  if (version.split('/').length > 2) throw unrecognized(kind, `unexpected GroupVersion string: ${version}`, text);
  return value;
}
