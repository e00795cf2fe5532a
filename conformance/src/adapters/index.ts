import type { Adapter } from '../adapter.js';
import { plegAdapters } from './pleg.js';
import { podWorkersAdapters } from './pod-workers.js';

/** Every adapter, one module a package whose decisions it replays. */
export const adapters: Adapter[] = [...plegAdapters, ...podWorkersAdapters];
