import type { ServedResource } from './resource.js';

/** Built-in resources that are deprecated, and since when: Kubernetes documentation, "Deprecated API Migration Guide". */
const deprecations: Readonly<Record<string, string>> = {
  '/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
  '/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** The warning for clients of a deprecated resource or version; undefined if it is not deprecated. */
export const deprecationOf = ({ custom, storage }: ServedResource): string | undefined => (custom ? custom.warning : deprecations[storage]);
