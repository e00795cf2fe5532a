import type { Scenario } from '../scenario.js';
import { changes } from './changes.js';
import { failures } from './failures.js';
import { images } from './images.js';
import { lives } from './lives.js';
import { probes } from './probes.js';
import { specs } from './specs.js';
import { volumes } from './volumes.js';

export const scenarios: readonly Scenario[] = [...lives, ...specs, ...failures, ...images, ...changes, ...probes, ...volumes];
