import { decodeBase64Url, encodeBase64Url } from '../base64url.js';
import { type ApiContext, requireShown, shown } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest, expired, tooLarge } from '../status.js';
import { storeKey } from '../store/object-store.js';
import type { ListSelection } from '../store/selection.js';
import { checkListOptions } from './list-options.js';
import type { ListMeta } from './presentation.js';

/** The continue token of a paged list. */
interface Continuation {
  /** 0: the newest, for the rest of a list whose revision was dropped. */
  revision: number;
  after: string;
  /** When the list began, in milliseconds since 1970. */
  since: number;
}

/** A page of a list. */
export interface ListResult {
  items: ApiObject[];
  metadata: ListMeta;
}

/** A token is valid for the period after which API servers drop old revisions (`--etcd-compaction-interval`). */
const tokenLifetimeMs = 300_000;

const encode = (at: Continuation) => encodeBase64Url(JSON.stringify(at));

function decode(text: string): Continuation {
  try {
    const { revision, after, since } = JSON.parse(decodeBase64Url(text)) as Continuation;
    if (Number.isInteger(revision) && typeof after === 'string' && typeof since === 'number') return { revision, after, since };
  } catch {
    // Falls through: the token is invalid.
  }
  throw badRequest('continue key is not valid');
}

/** Lists objects as a GET does: Kubernetes documentation, "API Concepts: Retrieving large results sets in chunks", "Resource versions". */
export function listObjects(
  { store, clock }: ApiContext,
  definition: ServedResource,
  selection: ListSelection,
  query: URLSearchParams,
): ListResult {
  checkListOptions(query, 'list');
  const limit = wholeNumber(query, 'limit');
  const token = query.get('continue');
  const asked = revisionOf(query.get('resourceVersion') ?? '');
  if (token && asked > 0) throw badRequest('specifying resource version is not allowed when using continue');
  if (asked > store.revision) throw tooLarge(asked, store.revision);
  const continuation = token ? decode(token) : undefined;
  const isExact = query.get('resourceVersionMatch') === 'Exact' || (limit > 0 && !query.get('resourceVersionMatch'));
  const revision = continuation?.revision || (isExact && asked) || store.revision;
  // The rest of a list at the newest revision is a new list.
  const since = continuation?.revision ? continuation.since : clock.now();
  if (continuation && continuation.revision > 0 && clock.now() - since > tokenLifetimeMs) throw tokenExpired(continuation);
  const all =
    revision === store.revision
      ? store.list(definition.storage, selection.namespace)
      : store.listAt(definition.storage, revision, selection.namespace);
  if (all === undefined) throw continuation ? tokenExpired(continuation) : expired('The resourceVersion for the provided list is too old.');
  requireShown(definition, all);
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
      ...(more > 0 && last && { continue: encode({ revision, after: keyOf(last), since }) }),
      ...(more > 0 && !query.has('labelSelector') && !query.has('fieldSelector') && { remainingItemCount: more }),
    },
  };
}

/** The error has a token for the rest of the list at the newest revision. */
function tokenExpired({ after, since }: Continuation): Error {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
    'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
    'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
    'deleted between the time the first chunk was returned and now may show up in the list.';
  return expired(message, encode({ revision: 0, after, since }));
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
