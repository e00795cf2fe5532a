import { fnv1a128 } from '@nodeagent/api/helpers';
import { type ApiContext, timestamp } from '../context.js';
import type { ApiMeta, ApiObject } from '../objects.js';

export type StartObject = Omit<ApiObject, 'metadata'> & { metadata: ApiMeta };

/** Creates an object of the server itself, unless it exists: its UID follows from its name, so that it uses none of the server's randomness. */
export function startObject(context: ApiContext, storage: string, object: StartObject): void {
  const { namespace = '', name = '' } = object.metadata;
  if (context.store.get(storage, namespace, name)) return;
  const hex = fnv1a128(`${storage}/${namespace}/${name}`).toString(16).padStart(32, '0');
  const uid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  const metadata = { ...object.metadata, uid, creationTimestamp: timestamp(context) };
  context.store.put(storage, { ...object, metadata } as ApiObject);
}
