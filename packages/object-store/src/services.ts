import { type InformerSource, invalidOption, type Service, type Startable } from '@nodeagent/api';

/** The services of the cluster, for the environment variables that containers get. */
export interface Services extends Startable {
  /** The cached services; undefined before the first list. */
  list(): readonly Service[] | undefined;
}

/** Caches the services of all namespaces with one watch. Throws `InvalidOption`. */
export function createServices(options: { source: InformerSource<Service> }): Services {
  const { source } = options;
  if (typeof source?.informer !== 'function') throw invalidOption('source', 'an informer source', source);
  const informer = source.informer();
  return {
    list: () => (informer.hasSynced ? informer.list() : undefined),
    start: (signal) => informer.start(signal),
    stop: () => informer.stop(),
  };
}
