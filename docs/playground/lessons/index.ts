import { crashLoop } from './crash-loop.js';
import { eviction } from './eviction.js';
import { finalizer } from './finalizer.js';
import { gracefulShutdown } from './graceful-shutdown.js';
import { imageErrors } from './image-errors.js';
import { initContainers } from './init-containers.js';
import type { Lesson } from './lesson.js';
import { nodeLoss } from './node-loss.js';
import { probes } from './probes.js';
import { resize } from './resize.js';
import { rollingUpdate } from './rolling-update.js';

/** All lessons, the simplest first. */
export const lessons: readonly Lesson[] = [
  crashLoop,
  imageErrors,
  probes,
  initContainers,
  rollingUpdate,
  resize,
  gracefulShutdown,
  nodeLoss,
  eviction,
  finalizer,
];
