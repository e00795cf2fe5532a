import type { Suite } from '../suite/suite.js';
import { relistCases } from './relist-cases.js';
import { runningCases } from './running-cases.js';
import type { PlegSubject } from './subject.js';

/** What `PodLifecycleEventGenerator` of `@nodeagent/api` promises. */
export const plegSuite: Suite<PlegSubject> = { name: 'PodLifecycleEventGenerator', cases: [...relistCases, ...runningCases] };
