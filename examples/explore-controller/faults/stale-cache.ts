import type { Invariant } from '@nodeagent/explore';
import { configMapOf, type Example, ensure, namespace, newestSite, newSite, type SiteTools, siteController } from '../site-controller.js';

/** Creates the pages of each site; at its start it removes those of sites that were deleted meanwhile. */
const withCheck = (isDeleted: (tools: SiteTools, name: string) => Promise<boolean>) =>
  siteController(
    (tools) => async (name) => {
      const site = tools.cachedSites.get({ namespace, name });
      const exists = tools.cachedConfigMaps.get({ namespace, name }) !== undefined;
      if (site !== undefined && !exists) await ensure(tools, configMapOf(site, { name }));
    },
    async (tools) => {
      for (const { metadata } of tools.cachedConfigMaps.list()) {
        const name = metadata?.labels?.['example.com/site'] ?? '';
        if (await isDeleted(tools, name)) await tools.configMaps.delete({ namespace, name: metadata?.name ?? '' });
      }
    },
  );

const keepsPages: Invariant = {
  name: 'the pages of a site are kept',
  check({ writes }) {
    const deleted = writes.find(({ verb, status }) => verb === 'delete' && status < 300);
    return deleted && `the pages of ${deleted.name} were deleted`;
  },
};

export const staleCache: Example = {
  fault: 'it deletes what belongs to no site in its cache, which may be old',
  faulty: withCheck(async ({ cachedSites }, name) => cachedSites.get({ namespace, name }) === undefined),
  mended: withCheck(async (tools, name) => (await newestSite(tools, name)) === undefined),
  invariants: [keepsPages],
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
    cluster.apply(newSite('shop', 5));
    await cluster.advance('10s');
  },
};
