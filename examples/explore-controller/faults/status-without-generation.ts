import {
  configMapOf,
  type Example,
  ensure,
  namespace,
  newestSite,
  newSite,
  ownedBy,
  type Site,
  siteController,
} from '../site-controller.js';

/** Reports the number of pages, and the generation of the spec that it is of. */
const withGeneration = (generationOf: (cached: Site, newest: Site) => number | undefined) =>
  siteController((tools) => async (name) => {
    const site = tools.cachedSites.get({ namespace, name });
    if (site === undefined || site.status?.observedGeneration === site.metadata?.generation) return;
    // It does not depend on the spec: a generation may pass unseen.
    await ensure(tools, configMapOf({ ...site, spec: { pages: 0 } }, { name, ownerReferences: ownedBy(site) }));
    const newest = await newestSite(tools, name);
    if (newest === undefined) return;
    const status = { pages: site.spec.pages, observedGeneration: generationOf(site, newest) };
    // With the version that the report is of: one that arrives late is refused.
    const { resourceVersion } = newest.metadata ?? {};
    await tools.sites.patch({ namespace, name }, { metadata: { resourceVersion }, status }, { type: 'merge', subresource: 'status' });
  });

export const statusWithoutGeneration: Example = {
  fault: 'it reports a newer generation than that of the spec it has processed',
  faulty: withGeneration((_, newest) => newest.metadata?.generation),
  mended: withGeneration((cached) => cached.metadata?.generation),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
    cluster.apply(newSite('blog', 4));
    await cluster.advance('10s');
  },
};
