import type { Scenario } from '../scenario.js';
import { changes } from './changes.js';
import { failures } from './failures.js';
import { images } from './images.js';
import { lifecycles } from './lifecycles.js';
import { probes } from './probes.js';
import { specs } from './specs.js';
import { volumes } from './volumes.js';

export const scenarios: readonly Scenario[] = [...lifecycles, ...specs, ...failures, ...images, ...changes, ...probes, ...volumes];
