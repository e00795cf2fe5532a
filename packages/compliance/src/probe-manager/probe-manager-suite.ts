import type { Suite } from '../suite/suite.js';
import { endCases } from './end-cases.js';
import { resultCases } from './result-cases.js';
import type { ProbeManagerSubject } from './subject.js';

/** The promises of `ProbeManager` of `@nodeagent/api`. */
export const probeManagerSuite: Suite<ProbeManagerSubject> = { name: 'ProbeManager', cases: [...resultCases, ...endCases] };
