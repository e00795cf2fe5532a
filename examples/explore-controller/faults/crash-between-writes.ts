import { configMapOf, type Example, ensure, namespace, newSite, ownedBy, siteController } from '../site-controller.js';

/** Creates the ConfigMap, then records its name in the status. A crash in between leaves a ConfigMap that no site has. */
const withMetadata = (metadata: (site: string) => { name: string } | { generateName: string }) =>
  siteController((tools) => async (name) => {
    const site = tools.cachedSites.get({ namespace, name });
    if (site === undefined || site.status?.configMap !== undefined) return;
    const created = await ensure(tools, configMapOf(site, { ...metadata(name), ownerReferences: ownedBy(site) }));
    const status = { configMap: created.metadata?.name };
    await tools.sites.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  });

export const crashBetweenWrites: Example = {
  fault: 'it records a generated name only after the creation',
  faulty: withMetadata((site) => ({ generateName: `${site}-` })),
  mended: withMetadata((site) => ({ name: `${site}-pages` })),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
  },
};
