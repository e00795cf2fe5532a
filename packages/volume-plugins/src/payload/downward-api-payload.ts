import type { DownwardAPIVolumeFile, Pod, ResourceList } from '@nodeagent/api';
import { cleanPath, encodeUtf8, fieldPathValue, resourceFieldValue } from '@nodeagent/api/helpers';
import { type Payload, requireDefaultMode, throwIfAny } from './payload.js';

export interface DownwardApiItems {
  items: readonly DownwardAPIVolumeFile[] | undefined;
  defaultMode: number | undefined;
}

/**
 * The files of a downward API volume. `nodeAllocatable` gives the default of unset limits; it is called only for
 * `resourceFieldRef` and may throw. Throws one error for all failed items. Kubernetes documentation, "Downward API".
 */
export function downwardApiPayload({ items, ...modes }: DownwardApiItems, pod: Pod, nodeAllocatable: () => ResourceList): Payload {
  const defaultMode = requireDefaultMode(modes.defaultMode);
  const payload: Payload = new Map();
  const errors: unknown[] = [];
  for (const item of items ?? []) {
    try {
      payload.set(cleanPath(item.path), { data: encodeUtf8(itemValue(item, pod, nodeAllocatable)), mode: item.mode ?? defaultMode });
    } catch (error) {
      errors.push(error);
    }
  }
  throwIfAny(errors);
  return payload;
}

function itemValue({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, pod: Pod, nodeAllocatable: () => ResourceList): string {
  if (fieldRef) return fieldPathValue(pod.metadata, fieldRef.fieldPath);
  if (resourceFieldRef) return resourceFieldValue(resourceFieldRef, pod, undefined, nodeAllocatable());
  return '';
}
