import { errorCode } from '@nodeagent/api';

/** A call to a node's runtime or image service that has ended. */
export interface RuntimeCall {
  method: string;
  /** `namespace/name`, for a call about a pod. */
  pod?: string;
  /** The container or the image. */
  subject?: string;
  /** The code of its error. */
  error?: string;
}

/** Calls that change nothing; an idle node makes them all the time. */
const routine = /^(status|version|list\w*|\w+Status|\w+Stats|imageFsInfo|runtimeConfig|getContainerEvents|updateRuntimeConfig)$/;

interface Place {
  pod: string;
  container?: string;
}

/** Fields of requests and responses with ids or names. */
interface CallFields {
  podSandboxId?: string;
  containerId?: string;
  config?: { metadata?: { name?: string; namespace?: string } };
  image?: { image?: string };
}

/** Observes the services of one node, over the restarts of its agent: it remembers which pod an id is of. */
export function createRuntimeObserver(onCall: (call: RuntimeCall) => void): <S extends object>(service: S) => S {
  const places = new Map<string, Place>();
  const report = (method: string, request: CallFields = {}, response: CallFields = {}, error?: unknown) => {
    const place = placeOf(method, request, response, places);
    const subject = request.image?.image ?? place?.container;
    onCall({
      method,
      ...(place && { pod: place.pod }),
      ...(subject !== undefined && { subject }),
      ...(error !== undefined && { error: errorCode(error) ?? 'unknown' }),
    });
  };
  return (service) =>
    new Proxy(service, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || typeof name !== 'string' || routine.test(name)) return method;
        return async (request: CallFields, ...more: unknown[]) => {
          try {
            const response: unknown = await method.call(target, request, ...more);
            report(name, request, response as CallFields);
            return response;
          } catch (error) {
            report(name, request, {}, error);
            throw error;
          }
        };
      },
    });
}

/** What a call is about; remembers new sandboxes and containers, and forgets removed ones. */
function placeOf(method: string, request: CallFields, response: CallFields, places: Map<string, Place>): Place | undefined {
  const { name = '', namespace = '' } = request.config?.metadata ?? {};
  const id = request.containerId ?? request.podSandboxId ?? '';
  const known = places.get(id);
  if (method === 'runPodSandbox') {
    const place = { pod: `${namespace}/${name}` };
    if (response.podSandboxId) places.set(response.podSandboxId, place);
    return place;
  }
  if (method === 'createContainer' && known) {
    const place = { pod: known.pod, container: name };
    if (response.containerId) places.set(response.containerId, place);
    return place;
  }
  if (/^remove/.test(method)) places.delete(id);
  return known;
}
