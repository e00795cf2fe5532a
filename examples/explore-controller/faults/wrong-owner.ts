import {
  configMapOf,
  type Example,
  ensure,
  namespace,
  newestSite,
  newSite,
  ownedBy,
  type Site,
  type SiteTools,
  siteController,
} from '../site-controller.js';

/** Creates the ConfigMap of a site with an owner reference. */
const withOwner = (makeOwnerOf: (tools: SiteTools) => (cached: Site, name: string) => Promise<Site | undefined>) =>
  siteController((tools) => {
    const ownerOf = makeOwnerOf(tools);
    return async (name) => {
      const site = tools.cachedSites.get({ namespace, name });
      if (site === undefined || tools.cachedConfigMaps.get({ namespace, name }) !== undefined) return;
      const owner = await ownerOf(site, name);
      if (owner) await ensure(tools, configMapOf(owner, { name, ownerReferences: ownedBy(owner) }));
    };
  });

/** Remembers a site as it was first seen; one that is deleted and created again has another UID. */
function remembered(): (cached: Site, name: string) => Promise<Site> {
  const sites = new Map<string, Site>();
  return async (cached, name) => {
    const site = sites.get(name) ?? cached;
    sites.set(name, site);
    return site;
  };
}

export const wrongOwner: Example = {
  fault: 'it owns the child by the UID of an earlier object of the same name',
  faulty: withOwner(remembered),
  mended: withOwner((tools) => (_, name) => newestSite(tools, name)),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
    cluster.server.objects.delete('sites.example.com', 'blog');
    await cluster.advance('10s');
    cluster.apply(newSite('blog', 4));
    await cluster.advance('10s');
  },
};
