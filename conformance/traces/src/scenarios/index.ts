import type { Scenario } from '../scenario.js';
import { changes } from './changes.js';
import { failures } from './failures.js';
import { images } from './images.js';
import { lives } from './lives.js';
import { probes } from './probes.js';
import { specs } from './specs.js';

/** Recorded scenarios that need a subsystem which is not there yet. */
export const notYet: Readonly<Record<string, string>> = {
  'job-on-failure': 'volumes',
  volumes: 'volumes',
};

export const scenarios: readonly Scenario[] = [...lives, ...specs, ...failures, ...images, ...changes, ...probes];
