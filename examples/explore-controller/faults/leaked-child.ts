import { isApiReason } from '@nodeagent/api';
import {
  configMapOf,
  type Example,
  ensure,
  namespace,
  newestSite,
  newSite,
  ownedBy,
  type SiteTools,
  siteController,
} from '../site-controller.js';

/** Creates the ConfigMap of a site. */
async function create(tools: SiteTools, name: string, ownersOf: typeof ownedBy): Promise<void> {
  const site = await newestSite(tools, name);
  if (site !== undefined) await ensure(tools, configMapOf(site, { name, ownerReferences: ownersOf(site) }));
}

const exists = ({ cachedConfigMaps }: SiteTools, name: string) => cachedConfigMaps.get({ namespace, name }) !== undefined;

export const leakedChild: Example = {
  fault: 'it deletes the child itself, and may not run when the owner is deleted',
  faulty: siteController((tools) => {
    const known = new Set<string>();
    return async (name) => {
      if (tools.cachedSites.get({ namespace, name }) !== undefined) {
        known.add(name);
        if (!exists(tools, name)) await create(tools, name, () => []);
      } else if (known.delete(name) && exists(tools, name)) {
        await tools.configMaps.delete({ namespace, name }).catch((error) => {
          if (!isApiReason(error, 'NotFound')) throw error;
        });
      }
    };
  }),
  mended: siteController((tools) => async (name) => {
    if (tools.cachedSites.get({ namespace, name }) !== undefined && !exists(tools, name)) await create(tools, name, ownedBy);
  }),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('3s');
    cluster.server.objects.delete('sites.example.com', 'blog');
    await cluster.advance('10s');
  },
};
