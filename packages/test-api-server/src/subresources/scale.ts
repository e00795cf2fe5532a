import type { LabelSelector } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { ApiContext } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { type ServedResource, subjectOf } from '../registry/resource.js';
import { badRequest, notFound } from '../status.js';

const builtInScale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

const partsOf = (path: string) => path.replace(/^\./, '').split('.');

function read(object: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), object);
}

/** A label selector as text, as in a Scale. */
function selectorText(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...labels, ...expressions].sort().join(',');
}

/** The stored object of a request for a Scale. Throws 404. */
export function requireScaled({ store }: ApiContext, definition: ServedResource, place: { namespace?: string; name: string }): ApiObject {
  const object = store.get(definition.storage, place.namespace, place.name);
  if (object) return object;
  const { kind, ...subject } = subjectOf(definition, place.name);
  throw notFound({ ...subject, kind: definition.custom ? kind : `${kind}/scale` });
}

/** The Scale of an object with replicas (`autoscaling/v1`). */
export function scaleOf({ custom, storage }: ServedResource, object: ApiObject): ApiObject {
  const paths = custom?.scale ?? builtInScale;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { selector } = (object.spec ?? {}) as { selector?: unknown };
  const own = (storage === '/replicationcontrollers' ? { matchLabels: selector } : selector) as LabelSelector | undefined;
  const text = custom?.scale ? custom.scale.labelSelectorPath && read(object, custom.scale.labelSelectorPath) : selectorText(own);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject['metadata'],
    spec: { replicas: read(object, paths.specReplicasPath) ?? 0 },
    status: { replicas: read(object, paths.statusReplicasPath) ?? 0, ...(text ? { selector: text } : {}) },
  };
}

/** The object with the replicas of a Scale. */
export function withScale({ custom }: ServedResource, object: ApiObject, scale: ApiObject): ApiObject {
  const replicas = read(scale, '.spec.replicas') ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) throw badRequest('spec.replicas: Invalid value: must be greater than or equal to 0');
  const copy = copyJson(object);
  const parts = partsOf((custom?.scale ?? builtInScale).specReplicasPath);
  let target = copy as Record<string, unknown>;
  for (const part of parts.slice(0, -1)) {
    target[part] ??= {};
    target = target[part] as Record<string, unknown>;
  }
  target[parts.at(-1) ?? ''] = replicas;
  const { resourceVersion } = scale.metadata ?? {};
  return { ...copy, metadata: { ...copy.metadata, ...(resourceVersion && { resourceVersion }) } };
}
