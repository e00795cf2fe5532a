import { allowAll } from '../access/authorizer.js';
import { restrictNode } from '../access/node-restriction.js';
import type { AdmissionPlugin } from './plugin.js';

/** Restricts what nodes write. */
export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  mutate: (request, { store, authorize }) =>
    restrictNode(request, {
      get: (storage, namespace, name) => store.get(storage, namespace, name),
      // A server that allows all requests does not grant its nodes more than a cluster does.
      isGranted: (attributes) => authorize !== allowAll && authorize(attributes).allowed,
    }),
};
