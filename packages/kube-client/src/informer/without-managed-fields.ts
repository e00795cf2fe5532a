import type { KubeObject } from '@nodeagent/api';

/** The object without `metadata.managedFields`. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata }: NonNullable<T['metadata']> & { managedFields?: unknown } = object.metadata ?? {};
  return { ...object, metadata };
}
