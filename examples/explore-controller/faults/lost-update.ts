import type { ConfigMap } from '@nodeagent/api';
import { configMapOf, type Example, namespace, newSite, siteController } from '../site-controller.js';

/** Marks the ConfigMaps of a site by a label, and writes the whole object. */
const withObject = (objectOf: (configMap: ConfigMap) => ConfigMap) =>
  siteController(({ configMaps, cachedConfigMaps }) => async (name) => {
    const configMap = cachedConfigMaps.get({ namespace, name });
    if (configMap === undefined || configMap.metadata?.labels?.['example.com/checked'] === 'yes') return;
    const labels = { ...configMap.metadata?.labels, 'example.com/checked': 'yes' };
    await configMaps.update(objectOf({ ...configMap, metadata: { ...configMap.metadata, labels } }));
  });

function withoutVersion(configMap: ConfigMap): ConfigMap {
  const { resourceVersion: _, ...metadata } = configMap.metadata ?? {};
  return { ...configMap, metadata };
}

export const lostUpdate: Example = {
  fault: 'it writes the whole object without its resourceVersion',
  faulty: withObject(withoutVersion),
  mended: withObject((configMap) => configMap),
  async actions(cluster) {
    cluster.apply(configMapOf(newSite('blog', 3), { name: 'blog' }));
    await cluster.advance('10s');
  },
};
