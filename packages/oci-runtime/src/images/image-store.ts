import type { Clock } from '@nodeagent/api';
import type { OciImageStore } from '@nodeagent/image-store';

/** What the runtime needs of an image store. */
export type RuntimeImageStore = Pick<
  OciImageStore,
  'root' | 'list' | 'get' | 'pull' | 'remove' | 'mount' | 'removeMount' | 'listMounts' | 'snapshotUsage' | 'usage' | 'blobPath' | 'close'
>;

/**
 * Opens the store of a folder: `openImageStore` of `@nodeagent/image-store`. Called at each start; the runtime closes the store when it stops.
 */
export type OpenImageStore = (options: { root: string; clock: Clock }) => Promise<RuntimeImageStore>;
