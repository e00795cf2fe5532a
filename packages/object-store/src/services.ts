import { type InformerSource, invalidOption, type Service, type Startable } from '@nodeagent/api';

/** The services of the cluster, for the environment variables that containers get. */
export interface Services extends Startable {
  /** The services known now; undefined while they have never been listed. */
  list(): readonly Service[] | undefined;
}

/** All services of all namespaces, kept current by one watch. Throws `InvalidOption`. */
export function createServices({ source }: { source: InformerSource<Service> }): Services {
  if (typeof source?.informer !== 'function') throw invalidOption('source', 'something that makes informers', source);
  const informer = source.informer();
  return {
    list: () => (informer.synced ? informer.list() : undefined),
    start: (signal) => informer.start(signal),
    stop: () => informer.stop(),
  };
}
