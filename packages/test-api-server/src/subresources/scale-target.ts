import { apiStatusError } from '@nodeagent/api';
import type { TargetScale, Writer } from '@nodeagent/test-controllers';
import { type ApiContext, shown } from '../context.js';
import type { ApiObject } from '../objects.js';
import { replaceObject } from '../operations/update.js';
import { findSubresource, type ServedResource } from '../registry/resource.js';
import { pathNotFound } from '../status.js';
import { labelMatcher } from '../store/label-selector.js';
import { requireScaled, scaleOf, withScale } from './scale.js';

/** A reference to an object, in any version of its kind. */
interface ObjectReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

/** The stored version of a kind that has a Scale. Throws as a client does. */
function scaledKind({ registry }: ApiContext, { apiVersion = '', kind }: ObjectReference): ServedResource {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const served = registry.findByGroupKind(group, kind);
  if (!served) throw apiStatusError({ code: 404, reason: 'NotFound', message: `no matches for kind "${kind}" in group "${group}"` });
  const { custom } = served;
  const definition = (custom && registry.find(group, custom.storageVersion, served.resource)) ?? served;
  if (!findSubresource(definition, 'scale')) throw pathNotFound();
  return definition;
}

/** The Scale of an object, for the server's controllers. Throws as a GET does. `write` runs the write of `set`. */
export function scaleTarget(
  context: ApiContext,
  target: ObjectReference,
  namespace: string,
  write: (storage: string, operation: (context: ApiContext) => unknown) => void,
): TargetScale {
  const definition = scaledKind(context, target);
  const read = (from: ApiContext) => requireScaled(from, definition, { namespace, name: target.name });
  const { spec, status } = scaleOf(definition, shown(definition, read(context))) as ApiObject & {
    spec: { replicas: number };
    status: { replicas: number; selector?: string };
  };
  const { selector = '' } = status;
  let matches: ReturnType<typeof labelMatcher> | undefined;
  return {
    replicas: spec.replicas,
    currentReplicas: status.replicas,
    selector,
    selects(labels) {
      matches ??= labelMatcher(selector);
      return matches(labels);
    },
    set: (replicas, writer) => write(definition.storage, (current) => scale(current, definition, read(current), replicas, writer)),
  };
}

function scale(context: ApiContext, definition: ServedResource, before: ApiObject, replicas: number, writer: Writer): void {
  const object = shown(definition, before);
  const wanted = scaleOf(definition, object);
  const after = withScale(definition, object, { ...wanted, spec: { replicas } });
  replaceObject(context, definition, before, after, { ...writer, isScale: true });
}
