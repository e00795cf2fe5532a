import type { Adapter } from '../adapter.js';
import { plegAdapters } from './pleg.js';

/** Every adapter, one module a package whose decisions it replays. */
export const adapters: Adapter[] = [...plegAdapters];
