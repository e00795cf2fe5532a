import { configMapOf, type Example, ensure, namespace, newSite, ownedBy, type Site, siteController } from '../site-controller.js';

/** Creates a ConfigMap for each generation of a site, and records its name. */
const withName = (nameOf: (site: Site, now: number) => string) =>
  siteController((tools) => async (name) => {
    const site = tools.cachedSites.get({ namespace, name });
    if (site === undefined || site.status?.observedGeneration === site.metadata?.generation) return;
    const configMap = nameOf(site, tools.clock.now());
    await ensure(tools, configMapOf(site, { name: configMap, ownerReferences: ownedBy(site) }));
    const status = { configMap, observedGeneration: site.metadata?.generation };
    await tools.sites.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  });

export const nameByTime: Example = {
  fault: 'it names the child by the time, so a repeated creation makes another one',
  faulty: withName(({ metadata }, now) => `${metadata?.name}-${Math.floor(now / 1_000)}`),
  mended: withName(({ metadata }) => `${metadata?.name}-${metadata?.generation}`),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
  },
};
