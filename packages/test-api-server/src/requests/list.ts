import { decodeBase64Url, encodeBase64Url } from '../base64url.js';
import { type ApiContext, shown } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest, expired, tooLarge } from '../status.js';
import { storeKey } from '../store/object-store.js';
import type { ListSelection } from '../store/selection.js';
import type { ListMeta } from './presentation.js';

/** The continue token of a paged list. */
interface Continuation {
  revision: number;
  after: string;
}

/** A page of a list. */
export interface ListResult {
  items: ApiObject[];
  metadata: ListMeta;
}

const encode = (at: Continuation) => encodeBase64Url(JSON.stringify(at));

function decode(text: string): Continuation {
  try {
    const { revision, after } = JSON.parse(decodeBase64Url(text)) as Continuation;
    if (Number.isInteger(revision) && typeof after === 'string') return { revision, after };
  } catch {
    // Falls through: the token is invalid.
  }
  throw badRequest('continue key is not valid');
}

/** Lists objects as a GET does: Kubernetes documentation, "API Concepts: Retrieving large results sets in chunks", "Resource versions". */
export function listObjects(
  { store }: ApiContext,
  definition: ServedResource,
  selection: ListSelection,
  query: URLSearchParams,
): ListResult {
  const limit = wholeNumber(query, 'limit');
  const token = query.get('continue');
  const asked = query.get('resourceVersion');
  const exact = query.get('resourceVersionMatch') === 'Exact' ? revisionOf(asked ?? '') : undefined;
  if (asked && !token && revisionOf(asked) > store.revision) throw tooLarge(revisionOf(asked), store.revision);
  const continuation = token ? decode(token) : undefined;
  const revision = continuation?.revision ?? exact ?? store.revision;
  const all =
    revision === store.revision
      ? store.list(definition.storage, selection.namespace)
      : store.listAt(definition.storage, revision, selection.namespace);
  if (all === undefined) {
    throw expired(
      continuation
        ? 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.'
        : `The resourceVersion for the provided list is too old.`,
    );
  }
  const keyOf = ({ metadata }: ApiObject) => storeKey(metadata.namespace, metadata.name ?? '');
  const matching = all
    .filter((object) => continuation === undefined || keyOf(object) > continuation.after)
    .map((object) => shown(definition, object))
    .filter((object) => selection.matches(object));
  const items = limit > 0 ? matching.slice(0, limit) : matching;
  const last = items.at(-1);
  const more = matching.length - items.length;
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      ...(more > 0 && last && { continue: encode({ revision, after: keyOf(last) }) }),
      ...(more > 0 && !query.has('labelSelector') && !query.has('fieldSelector') && { remainingItemCount: more }),
    },
  };
}

/** A number in the query; 0 if absent. */
export function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null || text === '') return 0;
  if (!/^\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** Parses a resourceVersion, a number in this server. */
export function revisionOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d+$/.test(text)) throw badRequest(`Invalid value: ${JSON.stringify(text)}: invalid resource version`);
  return Number(text);
}
