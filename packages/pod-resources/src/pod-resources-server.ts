import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, invalidOption, type Metrics, noMetrics, type Pod, type Startable, systemClock } from '@nodeagent/api';
import { type PluginServer, podResourcesAlphaService, podResourcesService, served, servePlugin, statusError } from '@nodeagent/plugin-api';
import { createPodResourcesMetrics, type Endpoint } from './metrics.js';
import type { PodResourcesProviders } from './providers.js';
import { createRateLimit } from './rate-limit.js';
import { allocatableResources, type GetRequest, resourcesOfPod } from './resources.js';

/** A request names at most one pod. */
const maxReceiveMessageBytes = 64 * 1024;

/** Options of {@link createPodResourcesServer}. */
export interface PodResourcesServerOptions extends PodResourcesProviders {
  /** The socket; the kubelet's is `/var/lib/kubelet/pod-resources/kubelet.sock`. Its folder is created with mode 0750. */
  socketPath: string;
  /** The active pods of the node, for List. */
  activePods(): readonly Pod[];
  /** The pod of that name, for Get. Default: the active pod. */
  podByName?(namespace: string, name: string): Pod | undefined;
  clock?: Clock;
  metrics?: Metrics;
}

/**
 * Serves the pod-resources API, versions v1 and v1alpha1, on a Unix socket: what monitoring agents and CNI plugins ask a node for. Accepts
 * 100 requests per second and 10 at once; others fail with `ResourceExhausted`. Throws `InvalidOption`; `start` rejects with `PluginListenFailed`.
 */
export function createPodResourcesServer(options: PodResourcesServerOptions): Startable {
  const { socketPath, activePods, clock = systemClock } = options;
  if (typeof socketPath !== 'string' || socketPath === '') throw invalidOption('socketPath', 'a path', socketPath);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  const {
    podByName = (namespace, name) => activePods().find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace),
  } = options;
  const metrics = createPodResourcesMetrics(options.metrics ?? noMetrics);
  const mayPass = createRateLimit(clock);

  /** Wraps the function of an endpoint with the limit and the metrics. */
  function limited<Request, Response>(
    version: string,
    endpoint: Endpoint,
    respond: (request: Request) => Response,
  ): (request: Request) => Response {
    const labels = { server_api_version: version };
    return (request) => {
      if (!mayPass()) throw statusError('ResourceExhausted', 'rejected by rate limit');
      metrics.all.inc(labels);
      metrics.requests[endpoint].inc(labels);
      try {
        return respond(request);
      } catch (error) {
        metrics.errors[endpoint].inc(labels);
        throw error;
      }
    };
  }

  const list = () => ({ podResources: activePods().map((pod) => resourcesOfPod(pod, options)) });

  function get({ podNamespace = '', podName = '' }: GetRequest) {
    const pod = podByName(podNamespace, podName);
    if (pod === undefined) throw new Error(`pod ${podName} in namespace ${podNamespace} not found`);
    return { podResources: resourcesOfPod(pod, options) };
  }

  const services = [
    served(podResourcesService, {
      list: limited('v1', 'list', list),
      getAllocatableResources: limited('v1', 'get_allocatable', () => allocatableResources(options)),
      get: limited('v1', 'get', get),
    }),
    served(podResourcesAlphaService, { list: limited('v1alpha1', 'list', list) }),
  ];

  let serving: Promise<PluginServer> | undefined;

  async function serve(): Promise<PluginServer> {
    await mkdir(dirname(socketPath), { recursive: true, mode: 0o750 });
    return servePlugin(socketPath, services, { maxReceiveMessageBytes });
  }

  async function stop(): Promise<void> {
    const server = await serving?.catch(() => undefined);
    serving = undefined;
    await server?.close();
  }

  return {
    async start(signal) {
      if (signal?.aborted) return;
      serving ??= serve().catch((error) => {
        serving = undefined;
        throw error;
      });
      await serving;
      signal?.addEventListener('abort', () => void stop(), { once: true });
    },
    stop,
  };
}
