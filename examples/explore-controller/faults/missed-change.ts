import { type Example, namespace, newSite, type Site, siteController } from '../site-controller.js';

/** Counts publications: a site is published whenever its pages change. */
const withCount = (countOf: (site: Site, published: number) => number) =>
  siteController(({ sites, cachedSites }) => async (name) => {
    const site = cachedSites.get({ namespace, name });
    if (site === undefined || site.status?.pages === site.spec.pages) return;
    const publications = countOf(site, site.status?.publications ?? 0);
    const status = { pages: site.spec.pages, publications, observedGeneration: site.metadata?.generation };
    await sites.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  });

export const missedChange: Example = {
  fault: 'it counts the changes that it sees, and may not see each',
  faulty: withCount((_, published) => published + 1),
  // The generation counts every change of the spec.
  mended: withCount(({ metadata }) => metadata?.generation ?? 1),
  async actions(cluster) {
    for (const pages of [3, 4, 5]) {
      cluster.apply(newSite('blog', pages));
      await cluster.advance('10s');
    }
  },
};
