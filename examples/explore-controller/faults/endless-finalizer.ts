import { isApiReason } from '@nodeagent/api';
import { configMapOf, type Example, ensure, namespace, newestSite, newSite, ownedBy, siteController } from '../site-controller.js';

const finalizer = 'example.com/pages';

/** Deletes the pages of a site before the site, by a finalizer. */
const withDeletion = (isDone: (error: unknown) => boolean) =>
  siteController((tools) => async (name) => {
    const site = tools.cachedSites.get({ namespace, name });
    if (site === undefined) return;
    const { finalizers = [], deletionTimestamp } = site.metadata ?? {};
    const update = (changed: string[]) => tools.sites.update({ ...site, metadata: { ...site.metadata, finalizers: changed } });
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return;
      await tools.configMaps.delete({ namespace, name }).catch((error) => {
        if (!isDone(error)) throw error;
      });
      await update(finalizers.filter((each) => each !== finalizer));
    } else if (finalizers.includes(finalizer)) {
      const newest = await newestSite(tools, name);
      if (newest === undefined || newest.metadata?.deletionTimestamp !== undefined) return;
      // The owner reference is for a creation that arrives after the deletion.
      await ensure(tools, configMapOf(site, { name, ownerReferences: ownedBy(site) }));
    } else {
      await update([...finalizers, finalizer]);
    }
  });

export const endlessFinalizer: Example = {
  fault: 'it removes its finalizer only if it deletes the child itself',
  faulty: withDeletion(() => false),
  mended: withDeletion((error) => isApiReason(error, 'NotFound')),
  async actions(cluster) {
    cluster.apply(newSite('blog', 3));
    await cluster.advance('10s');
    cluster.server.objects.delete('sites.example.com', 'blog');
    await cluster.advance('10s');
  },
};
