import type { Volume } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { rulesOf } from './volume-source-rules.js';

/** Applies the API server's defaults; a volume without a source is an emptyDir. Source: Kubernetes API reference, "Volume". */
export function applyVolumeDefaults(volume: Volume): void {
  const sources = Object.entries(volume).filter(([key]) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const [kind, source] of sources) {
    const rules = rulesOf(kind);
    if (!isObject(source) || rules === undefined) continue;
    for (const [field, value] of Object.entries(rules.defaults ?? {})) source[field] ??= value;
    rules.applyDefaults?.(source);
  }
}
