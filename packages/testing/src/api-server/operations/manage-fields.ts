import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ResourceDefinition } from '../registry/resource.js';

/** An object with the fields that a write changed in its manager's name. */
export function withManager(
  _context: ApiContext,
  _definition: ResourceDefinition,
  { after }: { before?: ApiObject; after: ApiObject; fieldManager: string; subresource?: string },
): ApiObject {
  return after;
}
