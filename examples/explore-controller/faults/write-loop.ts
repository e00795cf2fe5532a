import { type Example, namespace, newSite, type Site, siteController } from '../site-controller.js';

/** Reports when a site was checked. The report is a change, which is a reason to check again. */
const withNeed = (needsReport: (site: Site) => boolean) =>
  siteController(({ sites, cachedSites, clock }) => async (name) => {
    const site = cachedSites.get({ namespace, name });
    if (site === undefined || !needsReport(site)) return;
    // Checks take time.
    await clock.sleep(1_000);
    const status = { pages: site.spec.pages, checkedAt: new Date(clock.now()).toISOString() };
    await sites.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  });

export const writeLoop: Example = {
  fault: 'each report causes the next one',
  faulty: withNeed(() => true),
  mended: withNeed(({ spec, status }) => status?.pages !== spec.pages),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
  },
};
