import { crashBetweenWrites } from './faults/crash-between-writes.js';
import { endlessFinalizer } from './faults/endless-finalizer.js';
import { leakedChild } from './faults/leaked-child.js';
import { lostUpdate } from './faults/lost-update.js';
import { missedChange } from './faults/missed-change.js';
import { nameByTime } from './faults/name-by-time.js';
import { staleCache } from './faults/stale-cache.js';
import { statusWithoutGeneration } from './faults/status-without-generation.js';
import { writeLoop } from './faults/write-loop.js';
import { wrongOwner } from './faults/wrong-owner.js';
import type { Example } from './site-controller.js';

/** Ten faulty controllers, one for each class of faults that studies of real controllers name. */
export const examples: Readonly<Record<string, Example>> = {
  crashBetweenWrites,
  staleCache,
  missedChange,
  leakedChild,
  writeLoop,
  lostUpdate,
  wrongOwner,
  endlessFinalizer,
  statusWithoutGeneration,
  nameByTime,
};
