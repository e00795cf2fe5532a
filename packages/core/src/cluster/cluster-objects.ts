import type { Clock, ConfigMap, InformerSource, Logger, Pod, Secret, Service, Startable } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';

/** Objects of the cluster that the node's pods refer to: services, config maps and secrets. */
export interface ClusterObjects extends Startable {
  environment: EnvironmentPorts;
  /** Starts to watch the objects that the pod refers to. */
  registerPod(pod: Pod): void;
  unregisterPod(pod: Pod): void;
}

export interface ClusterObjectSources {
  services: InformerSource<Service>;
  secrets: InformerSource<Secret>;
  configMaps: InformerSource<ConfigMap>;
}

/** Creates the objects with `@nodeagent/object-store`, an argument because only agents of a cluster load it. */
export function createClusterObjects(
  objectStore: typeof import('@nodeagent/object-store'),
  sources: ClusterObjectSources,
  { clock, logger }: { clock: Clock; logger: Logger },
): ClusterObjects {
  const services = objectStore.createServices({ source: sources.services });
  const secrets = objectStore.createWatchedObjects({ kind: 'Secret', source: sources.secrets, clock, logger });
  const configMaps = objectStore.createWatchedObjects({ kind: 'ConfigMap', source: sources.configMaps, clock, logger });
  const all = [services, secrets, configMaps];
  return {
    environment: objectStore.environmentPorts({ services, secrets, configMaps }),
    registerPod(pod) {
      for (const objects of [secrets, configMaps]) objects.registerPod(pod);
    },
    unregisterPod(pod) {
      for (const objects of [secrets, configMaps]) objects.unregisterPod(pod);
    },
    start: async (signal) => void (await Promise.all(all.map((each) => each.start(signal)))),
    stop: async () => void (await Promise.all(all.map((each) => each.stop()))),
  };
}
