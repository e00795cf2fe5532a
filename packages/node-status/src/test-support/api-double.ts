import { type ApiCallOptions, apiStatusError, type KubeObject, type ObjectKey } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';

type Json = Record<string, unknown>;

const codes: Readonly<Record<string, number>> = { NotFound: 404, AlreadyExists: 409, Conflict: 409, Forbidden: 403, InternalError: 500 };

export function refused(reason: string): Error {
  return apiStatusError({ code: codes[reason] ?? 400, reason, message: `refused: ${reason}` });
}

export interface ApiCall {
  verb: 'get' | 'create' | 'update' | 'patch';
  /** Monotonic milliseconds. */
  at: number;
  body?: unknown;
  resourceVersion?: string;
}

/** An in-memory API server for one kind, which records every call and can inject a fault into each. */
export function createApiDouble<T extends KubeObject>(clock: { monotonic(): number }) {
  const objects = new Map<string, T>();
  const calls: ApiCall[] = [];
  let version = 0;

  const double = {
    objects,
    calls,
    /** Called before each call; throw to reject it, wait to delay it. */
    intercept: async (_verb: ApiCall['verb'], _signal: AbortSignal | undefined): Promise<void> => {},
    count: (verb: ApiCall['verb']) => calls.filter((call) => call.verb === verb).length,
    put(object: T): T {
      version++;
      const { name = '', uid = `uid-${version}` } = object.metadata ?? {};
      const stored = structuredClone({ ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } });
      objects.set(name, stored);
      return stored;
    },
    delete: (name: string) => objects.delete(name),
    async get({ name }: ObjectKey, options: ApiCallOptions & { resourceVersion?: string } = {}): Promise<T> {
      calls.push({ verb: 'get', at: clock.monotonic(), ...(options.resourceVersion && { resourceVersion: options.resourceVersion }) });
      await double.intercept('get', options.signal);
      return known(name);
    },
    async create(object: T, options: ApiCallOptions = {}): Promise<T> {
      calls.push({ verb: 'create', at: clock.monotonic(), body: object });
      await double.intercept('create', options.signal);
      if (objects.has(object.metadata?.name ?? '')) throw refused('AlreadyExists');
      return double.put(object);
    },
    async update(object: T, options: ApiCallOptions = {}): Promise<T> {
      calls.push({ verb: 'update', at: clock.monotonic(), body: object });
      await double.intercept('update', options.signal);
      const current = known(object.metadata?.name ?? '');
      if (current.metadata?.resourceVersion !== object.metadata?.resourceVersion) throw refused('Conflict');
      return double.put(object);
    },
    async patch({ name }: ObjectKey, patch: unknown, options: ApiCallOptions = {}): Promise<T> {
      calls.push({ verb: 'patch', at: clock.monotonic(), body: patch });
      await double.intercept('patch', options.signal);
      return double.put(applyStrategicPatch(known(name) as Json, patch as Json) as T);
    },
  };

  function known(name: string): T {
    const found = objects.get(name);
    if (found === undefined) throw refused('NotFound');
    return found;
  }
  return double;
}

/** Applies a strategic merge patch to a Node as the API server does: keyed lists are merged by `type`. */
export function applyStrategicPatch(object: Json, patch: Json): Json {
  const result: Json = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$setElementOrder/')) {
      const list = key.slice('$setElementOrder/'.length);
      if (!(list in patch)) result[list] = mergeByType((result[list] as Json[] | undefined) ?? [], [], value as Json[]);
      continue;
    }
    const order = patch[`$setElementOrder/${key}`] as Json[] | undefined;
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = applyStrategicPatch(isObject(result[key]) ? result[key] : {}, value);
    else if (Array.isArray(value) && value.some(({ $patch }) => $patch === 'replace'))
      result[key] = value.filter(({ $patch }) => $patch === undefined);
    else if (Array.isArray(value) && order !== undefined)
      result[key] = mergeByType((result[key] as Json[] | undefined) ?? [], value, order);
    else result[key] = value;
  }
  return result;
}

function mergeByType(present: Json[], changes: Json[], order: Json[]): Json[] {
  const merged = new Map<unknown, Json>(present.map((element) => [element.type, element]));
  for (const change of changes) {
    if (change.$patch === 'delete') merged.delete(change.type);
    else merged.set(change.type, applyStrategicPatch(merged.get(change.type) ?? {}, change));
  }
  return order.flatMap(({ type }): Json[] => {
    const element = merged.get(type);
    return element ? [element] : [];
  });
}
