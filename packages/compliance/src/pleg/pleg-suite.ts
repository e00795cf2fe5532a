import type { Suite } from '../suite/suite.js';
import { relistCases } from './relist-cases.js';
import { runningCases } from './running-cases.js';
import type { PlegSubject } from './subject.js';

/** The promises of `PodLifecycleEventGenerator` of `@nodeagent/api`. */
export const plegSuite: Suite<PlegSubject> = { name: 'PodLifecycleEventGenerator', cases: [...relistCases, ...runningCases] };
