import type { ConfigMap, Secret } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import type { FileSourceOptions } from '@nodeagent/core/node';

/** The ConfigMaps and Secrets of manifests, which an agent without a cluster serves to the pods beside them. */
export interface ManifestObjects {
  /** Receives all current objects. */
  set: NonNullable<FileSourceOptions['onObjects']>;
  /** For environments, volumes and pull secrets of pods. */
  environment: Required<Pick<EnvironmentPorts, 'getConfigMap' | 'getSecret'>>;
}

export function createManifestObjects(): ManifestObjects {
  let configMaps = new Map<string, ConfigMap>();
  let secrets = new Map<string, Secret>();
  return {
    set(objects) {
      configMaps = new Map();
      secrets = new Map();
      for (const object of objects) {
        const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
        if (object.kind === 'Secret') secrets.set(key, object);
        else configMaps.set(key, object);
      }
    },
    environment: {
      getConfigMap: async (namespace, name) => configMaps.get(`${namespace}/${name}`),
      getSecret: async (namespace, name) => secrets.get(`${namespace}/${name}`),
    },
  };
}
