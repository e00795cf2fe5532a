import type { Adapter } from '../adapter.js';
import { apiQuantityAdapters } from './api-quantity.js';
import { apiResourcesAdapters } from './api-resources.js';
import { podSourcesAdapters } from './pod-sources.js';

/** Every adapter, one module a package whose decisions it replays. */
export const adapters: Adapter[] = [...apiQuantityAdapters, ...apiResourcesAdapters, ...podSourcesAdapters];
