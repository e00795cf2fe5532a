import type { Suite } from '../suite/suite.js';
import { endCases } from './end-cases.js';
import { resultCases } from './result-cases.js';
import type { ProbeManagerSubject } from './subject.js';

/** What `ProbeManager` of `@nodeagent/api` promises. */
export const probeManagerSuite: Suite<ProbeManagerSubject> = { name: 'ProbeManager', cases: [...resultCases, ...endCases] };
