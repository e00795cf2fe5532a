import {
  type Clock,
  type EventRecorder,
  invalidOption,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { defaultNodeName } from '@nodeagent/api/helpers';
import type { ListedImage } from './image-record.js';
import { type ImageGcSettings, resolveSettings } from './settings.js';
import type { ImageFsStats } from './space-to-free.js';

/** Lists and removes images. */
export interface ImageStore {
  listImages(signal: AbortSignal): Promise<readonly ListedImage[]>;
  /** Also resolves if the image does not exist. */
  removeImage(id: string, signal: AbortSignal): Promise<void>;
}

/** The images after a collection that freed space without a failure. */
export interface CollectedImages {
  /** Ids of the images that were considered and kept, in that order, until enough space was freed. */
  remaining: readonly string[];
  /** Ids of all present images, including those in use. */
  present: readonly string[];
  /** When the collection started: milliseconds since 1970. */
  freeTime: number;
}

/** Options of `createImageGcManager`. */
export interface ImageGcManagerOptions {
  images: ImageStore;
  /** Ids of the images that containers use, running or dead, as root file system or as volume. Called before each collection. */
  imagesInUse(signal: AbortSignal): Promise<Iterable<string>>;
  /** The file system that holds the images. */
  imageFsStats(signal: AbortSignal): Promise<ImageFsStats>;
  /** Called after each collection that had to free space and whose removals all succeeded. A rejection is logged. */
  onCollected?(collected: CollectedImages): void | Promise<void>;
  settings?: ImageGcSettings;
  /** The Node of events. Default: the machine's host name. */
  nodeName?: string;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/** Validates the options and applies the defaults. Throws `InvalidOption` naming the field. */
export function resolveOptions(options: ImageGcManagerOptions) {
  const { nodeName = defaultNodeName(), images, imagesInUse, imageFsStats } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  const functions = {
    'images.listImages': images?.listImages,
    'images.removeImage': images?.removeImage,
    imagesInUse,
    imageFsStats,
  };
  for (const [field, value] of Object.entries(functions)) {
    if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  }
  return {
    ...options,
    nodeName,
    settings: resolveSettings(options.settings),
    clock: options.clock ?? systemClock,
    recorder: options.recorder ?? noEvents,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
  };
}

/** Options with all defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;
