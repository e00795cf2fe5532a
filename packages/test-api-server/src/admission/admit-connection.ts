import type { RequestUser } from '../access/user.js';
import type { ApiContext } from '../context.js';
import { apiVersionOf, findSubresource, type ServedResource } from '../registry/resource.js';
import { flagOf } from '../requests/request.js';
import type { RequestInfo } from '../requests/request-info.js';
import { admissionOf } from './admission-of.js';

/** Checks a connection to a pod or node; its object are the options, such as `PodExecOptions`. */
export function admitConnection(
  context: ApiContext,
  definition: ServedResource,
  { namespace, name = '', subresource = '' }: RequestInfo,
  user: RequestUser,
  query: URLSearchParams,
): void {
  const place = { name, subresource, ...(namespace && { namespace }) };
  const kind = findSubresource(definition, subresource)?.kind ?? '';
  const object = { kind, apiVersion: apiVersionOf(definition), ...connectionOptions(query) };
  const write = admissionOf(definition, 'connect', place, { user }, { object });
  context.admission.mutate(write, context);
  context.admission.validate(write, context);
}

const lists = ['command', 'ports'];
const flags = ['stdin', 'stdout', 'stderr', 'tty'];

function connectionOptions(query: URLSearchParams): Record<string, unknown> {
  const read = (name: string) => {
    const values = query.getAll(name);
    if (lists.includes(name)) return values;
    return flags.includes(name) ? flagOf(query, name) : values[0];
  };
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, read(name)]));
}
