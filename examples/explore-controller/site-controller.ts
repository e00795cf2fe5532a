import { type ConfigMap, type Informer, isApiReason, type KubeObject } from '@nodeagent/api';
import type { Controller, ControllerContext, ExploreOptions, Setup } from '@nodeagent/explore';
import { createKubeClient, type KubeClient, type KubeResource } from '@nodeagent/kube-client';

/** The custom resource of the examples: a web site of a number of pages. */
export interface Site extends KubeObject {
  spec: { pages: number };
  status?: { configMap?: string; pages?: number; publications?: number; checkedAt?: string; observedGeneration?: number };
}

/** What the reconciler of a site works with: clients, and informers that may be behind the API server. */
export interface SiteTools extends ControllerContext {
  sites: KubeResource<Site>;
  configMaps: KubeClient['configMaps'];
  cachedSites: Informer<Site>;
  cachedConfigMaps: Informer<ConfigMap>;
}

const retryMs = 5_000;

/**
 * A controller that calls `reconcile` with the name of a site, once at a time and again after an error, whenever the site or a ConfigMap with its
 * label changes. `start` is called once before the first one.
 */
export function siteController(
  reconcileWith: (tools: SiteTools) => (name: string) => Promise<void>,
  start: (tools: SiteTools) => Promise<void> = async () => {},
): Controller {
  return async (context) => {
    const { transport, clock, random, signal, note } = context;
    const client = createKubeClient({ transport, clock, random, qps: 0, cluster: { server: 'https://cluster' } });
    const sites = client.resource<Site>({ group: 'example.com', version: 'v1', resource: 'sites', namespaced: true });
    const cachedSites = sites.informer();
    const cachedConfigMaps = client.configMaps.informer({ labelSelector: 'example.com/site' });
    const tools = { ...context, sites, configMaps: client.configMaps, cachedSites, cachedConfigMaps };
    const reconcile = reconcileWith(tools);
    const waiting = new Set<string>();
    /** The sites that wait for a retry: one timer for each. */
    const delayed = new Set<string>();
    let isWorking = true;

    const work = async () => {
      if (isWorking) return;
      isWorking = true;
      for (const name of waiting) {
        waiting.delete(name);
        await reconcile(name).catch((error) => {
          note(`${name}: ${error instanceof Error ? error.message : error}`);
          retry(name);
        });
      }
      isWorking = false;
    };
    const retry = (name: string) => {
      if (delayed.has(name)) return;
      delayed.add(name);
      clock.setTimeout(() => {
        delayed.delete(name);
        enqueue(name);
      }, retryMs);
    };
    const enqueue = (name: string | undefined) => {
      if (name !== undefined) waiting.add(name);
      void work();
    };
    cachedSites.onChange((change) => enqueue((change?.object ?? change?.old)?.metadata?.name));
    cachedConfigMaps.onChange((change) => enqueue((change?.object ?? change?.old)?.metadata?.labels?.['example.com/site']));
    signal.addEventListener('abort', () => void Promise.all([cachedSites.stop(), cachedConfigMaps.stop()]));
    await Promise.all([synced(cachedSites), synced(cachedConfigMaps)]);
    await start(tools);
    isWorking = false;
    await work();
  };
}

/** Starts an informer; resolves when it has its first list. */
function synced<T extends KubeObject>(informer: Informer<T>): Promise<void> {
  return new Promise((resolve, reject) => {
    informer.onChange(() => informer.hasSynced && resolve());
    informer.start().catch(reject);
  });
}

export const namespace = 'default';

/** The site as the API server has it now; undefined if there is none. */
export async function newestSite({ sites }: SiteTools, name: string): Promise<Site | undefined> {
  try {
    return await sites.get({ namespace, name });
  } catch (error) {
    if (isApiReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Creates a ConfigMap, unless there is one of its name. */
export async function ensure({ configMaps }: SiteTools, wanted: ConfigMap): Promise<ConfigMap> {
  try {
    return await configMaps.create(wanted);
  } catch (error) {
    if (isApiReason(error, 'AlreadyExists')) return wanted;
    throw error;
  }
}

/** The ConfigMap of a site. */
export const configMapOf = ({ metadata, spec }: Site, meta: NonNullable<ConfigMap['metadata']>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, labels: { 'example.com/site': metadata?.name ?? '' }, ...meta },
  data: { pages: String(spec.pages) },
});

export const ownedBy = ({ metadata }: Site, uid = metadata?.uid ?? '') => [
  { apiVersion: 'example.com/v1', kind: 'Site', name: metadata?.name ?? '', uid, controller: true },
];

/** A fault of a controller, its scenario and the same controller without it. */
export interface Example {
  /** What the controller does wrong. */
  fault: string;
  faulty: Controller;
  mended: Controller;
  actions: NonNullable<ExploreOptions['actions']>;
  invariants?: NonNullable<ExploreOptions['invariants']>;
}

export const newSite = (name: string, pages: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name },
  spec: { pages },
});

/** The cluster of all examples; it needs no nodes, since no site runs pods. */
export const setup: Setup = ({ server }) => {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  server.objects.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
        },
      ],
    },
  } as never);
};

export const exploreOptions = ({ actions, invariants }: Example, controller: Controller): ExploreOptions => ({
  controller,
  actions,
  ...(invariants && { invariants }),
  duration: '3m',
  cluster: { nodes: 0 },
});
