import type { Suite } from '../suite/suite.js';
import { admissionCases } from './admission-cases.js';
import { resizeCases } from './resize-cases.js';
import type { AllocationManagerSubject } from './subject.js';

/** The promises of `AllocationManager` of `@nodeagent/api`. */
export const allocationManagerSuite: Suite<AllocationManagerSubject> = {
  name: 'AllocationManager',
  cases: [...admissionCases, ...resizeCases],
};
