import { isObject } from '@nodeagent/api/helpers';
import { readYaml } from '@nodeagent/yaml';
import { badRequest } from '../status.js';
import { requireBodySize } from './body-size.js';
import type { ApiRequest } from './request.js';

const yamlTypes = ['application/yaml', 'application/apply-patch+yaml'];
const duplicateKeys = new WeakMap<object, string>();

/** Whether the body is YAML that is not JSON as well. */
export function isYamlBody({ headers, body }: ApiRequest): boolean {
  const type = headers?.['content-type']?.split(';')[0]?.trim() ?? '';
  if (!yamlTypes.includes(type) || typeof body !== 'string') return false;
  const [, first] = /^\s*(\{|$)?/.exec(body) ?? [];
  return first === undefined || (first === '{' && !isJson(body));
}

/** A YAML flow mapping starts as JSON does, but may have more commas, and keys without quotes. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The request with its YAML body as an object. Throws 400 unless that is one document with a map. */
export async function withYamlBody(request: ApiRequest): Promise<ApiRequest> {
  const text = request.body as string;
  requireBodySize(text);
  const [document, ...more] = await readYaml(text);
  const { value, problem, duplicateLines = [] } = document ?? {};
  if (problem) {
    throw badRequest(
      `error converting YAML to JSON: yaml: ${problem.line === undefined ? '' : `line ${problem.line}: `}${problem.message}`,
    );
  }
  if (!isObject(value) || more.length > 0) throw badRequest('the body must be one YAML document with an object');
  const lines = text.split('\n');
  const keyAt = (line: number) => /^[\s-]*["']?([^"':]*)/.exec(lines[line - 1] ?? '')?.[1]?.trim() ?? '';
  duplicateKeys.set(value, yamlKeysError(duplicateLines.map((line) => ({ line, key: keyAt(line) }))));
  const headers = { ...request.headers };
  if (headers['content-type']?.startsWith('application/yaml')) headers['content-type'] = 'application/json';
  return { ...request, headers, body: value };
}

/** The error of a YAML parser about keys that are repeated on these lines; empty if there are none. */
export function yamlKeysError(keys: readonly { line: number; key: string }[]): string {
  const lines = keys.map(({ line, key }) => `  line ${line}: key ${JSON.stringify(key)} already set in map`);
  return lines.length === 0 ? '' : `yaml: unmarshal errors:\n${lines.join('\n')}`;
}

/** {@link yamlKeysError} of the text of a body that was YAML. */
export function repeatedYamlKeys(body: unknown): string {
  return typeof body === 'object' && body !== null ? (duplicateKeys.get(body) ?? '') : '';
}
