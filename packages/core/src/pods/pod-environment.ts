import {
  apiErrorCodes,
  type Container,
  type DnsConfig,
  type EnvironmentPorts,
  type EventRecorder,
  gatherEnvironmentSources,
  makeEnvironmentVariables,
  NodeAgentError,
  type Pod,
  podDns,
  podReference,
  type ResourceList,
  reportedPodIPs,
} from '@nodeagent/api';
import type { NodeAgentSettings } from '../options/settings.js';

/** The environment and resolver settings that the runtime manager gives to containers. */
export interface PodEnvironment {
  /** `podIps` are those that the runtime reports. */
  environment(pod: Pod, container: Container, podIps: string[]): Promise<Record<string, string>>;
  dns(pod: Pod): DnsConfig;
}

export interface PodEnvironmentOptions {
  settings: Pick<NodeAgentSettings, 'clusterDNS' | 'clusterDomain' | 'resolvConf'>;
  nodeName: string;
  /** The node's addresses, its primary one first. */
  hostIps(): readonly string[];
  /** The node's allocatable resources: what `resourceFieldRef` reports as the limit of a container without one. */
  nodeAllocatable(): ResourceList;
  /** The text of the node's resolver file at this path. Default: the node has none. */
  readResolvConf?(path: string): string;
  /** What the environment refers to beside the pod. Default nothing. */
  ports?: EnvironmentPorts;
  recorder: EventRecorder;
}

export function createPodEnvironment(options: PodEnvironmentOptions): PodEnvironment {
  const { settings, nodeName, hostIps, nodeAllocatable, ports = {}, recorder } = options;
  const { clusterDNS, clusterDomain, resolvConf } = settings;
  /** Without any cluster there is none whose DNS could be missing: docs/decisions/0008. */
  const standsAlone = clusterDNS.length === 0 && clusterDomain === '';
  return {
    async environment(pod, container, podIps) {
      const facts = {
        podIPs: reportedPodIPs(podIps, hostIps(), pod.spec?.hostNetwork ?? false),
        hostIPs: [...hostIps()],
        nodeAllocatable: nodeAllocatable(),
      };
      const sources = await gatherEnvironmentSources(pod, container, facts, ports);
      try {
        return Object.fromEntries(makeEnvironmentVariables(pod, container, sources).map(({ name, value }) => [name, value]));
      } catch (error) {
        throw fromCache(error);
      }
    },
    dns(pod) {
      const { warnings, ...config } = podDns({
        pod,
        clusterDns: clusterDNS,
        clusterDomain,
        resolvConf: resolvConf === '' ? undefined : options.readResolvConf?.(resolvConf),
        nodeIPs: hostIps(),
      });
      for (const { object, reason, message } of warnings) {
        if (standsAlone && reason === 'MissingClusterDNS') continue;
        const subject = object === 'Pod' ? podReference(pod) : { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName };
        recorder.event(subject, 'Warning', reason, message);
      }
      return config;
    },
  };
}

/** An absent object as a kubelet words it, who looks in a cache of his own: `configmap "x" not found`, not the API's `configmaps`. */
function fromCache(error: unknown): unknown {
  if (!(error instanceof NodeAgentError) || error.code !== apiErrorCodes.objectNotFound) return error;
  const { code, retryable, details, cause } = error;
  return new NodeAgentError(code, error.message.replace(/^(configmap|secret)s /, '$1 '), { retryable, details, cause });
}
