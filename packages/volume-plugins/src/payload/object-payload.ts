import type { ConfigMap, KeyToPath, Secret } from '@nodeagent/api';
import { decodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';
import { type Payload, payloadError, requireDefaultMode } from './payload.js';

/** Selects keys of an object and their files. */
export interface KeySelection {
  /** Default: all keys, each as a file of its name. */
  items?: readonly KeyToPath[] | undefined;
  /** Mode of files whose item has no mode. */
  defaultMode: number | undefined;
  /** Whether items with a missing key are skipped instead of failing. */
  optional?: boolean | undefined;
}

/** The files of a config map. Throws `InvalidPayload`. Kubernetes documentation, "ConfigMaps". */
export function configMapPayload({ data, binaryData }: ConfigMap, selection: KeySelection): Payload {
  const values = new Map<string, Uint8Array>();
  for (const [key, base64] of Object.entries(binaryData ?? {})) values.set(key, decodeBase64(base64));
  for (const [key, text] of Object.entries(data ?? {})) {
    if (selection.items?.length || !values.has(key)) values.set(key, encodeUtf8(text));
  }
  return selectKeys(values, selection, (key) => `configmap references non-existent config key: ${key}`);
}

/** The files of a secret. Throws `InvalidPayload`. Kubernetes documentation, "Secrets". */
export function secretPayload({ data }: Secret, selection: KeySelection): Payload {
  const values = new Map(Object.entries(data ?? {}).map(([key, base64]) => [key, decodeBase64(base64)]));
  return selectKeys(values, selection, (key) => `references non-existent secret key: ${key}`);
}

function selectKeys(values: ReadonlyMap<string, Uint8Array>, selection: KeySelection, missing: (key: string) => string): Payload {
  const defaultMode = requireDefaultMode(selection.defaultMode);
  const items = selection.items?.length ? selection.items : [...values.keys()].map((key): KeyToPath => ({ key, path: key }));
  const payload: Payload = new Map();
  for (const { key, path, mode } of items) {
    const data = values.get(key);
    if (data !== undefined) payload.set(path, { data, mode: mode ?? defaultMode });
    else if (!selection.optional) throw payloadError(missing(key));
  }
  return payload;
}
