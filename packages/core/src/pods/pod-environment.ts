import { apiErrorCodes, type Container, type EventRecorder, NodeAgentError, type Pod, type ResourceList } from '@nodeagent/api';
import {
  type EnvironmentPorts,
  gatherEnvironmentSources,
  makeEnvironmentVariables,
  podReference,
  reportedPodIPs,
} from '@nodeagent/api/helpers';
import type { NodeAgentSettings } from '../config/settings.js';
import { podDns } from './pod-dns.js';
import type { DnsConfig } from './resolv-conf.js';

/** Environment variables and resolver settings of containers, for the runtime manager. */
export interface PodEnvironment {
  /** `podIps` are the addresses that the runtime reports. */
  environment(pod: Pod, container: Container, podIps: string[]): Promise<Record<string, string>>;
  dns(pod: Pod): DnsConfig;
}

export interface PodEnvironmentOptions {
  settings: Pick<NodeAgentSettings, 'clusterDNS' | 'clusterDomain' | 'resolvConf'>;
  nodeName: string;
  /** The node's addresses, the primary one first. */
  hostIps(): readonly string[];
  /** The node's allocatable resources: what `resourceFieldRef` reports as the limit of a container without one. */
  nodeAllocatable(): ResourceList;
  /** Reads the node's resolver file. Default: the node has none. */
  readResolvConf?(path: string): string;
  /** Objects that environment variables refer to. Default: none. */
  ports?: EnvironmentPorts;
  recorder: EventRecorder;
}

export function createPodEnvironment(options: PodEnvironmentOptions): PodEnvironment {
  const { settings, nodeName, hostIps, nodeAllocatable, ports = {}, recorder } = options;
  const { clusterDNS, clusterDomain, resolvConf } = settings;
  /** A standalone node without cluster DNS settings misses nothing, so no event is emitted: docs/decisions/0008. */
  const isStandalone = clusterDNS.length === 0 && clusterDomain === '';
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
        if (isStandalone && reason === 'MissingClusterDNS') continue;
        const subject = object === 'Pod' ? podReference(pod) : { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName };
        recorder.event(subject, 'Warning', reason, message);
      }
      return config;
    },
  };
}

/** Words a missing object as the kubelet's cache does: `configmap "x" not found`, not the API's `configmaps`. */
function fromCache(error: unknown): unknown {
  if (!(error instanceof NodeAgentError) || error.code !== apiErrorCodes.objectNotFound) return error;
  const { code, retryable, details, cause } = error;
  return new NodeAgentError(code, error.message.replace(/^(configmap|secret)s /, '$1 '), { retryable, details, cause });
}
