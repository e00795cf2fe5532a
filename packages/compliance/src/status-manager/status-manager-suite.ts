import type { Suite } from '../suite/suite.js';
import { changeCases } from './change-cases.js';
import { statusCases } from './status-cases.js';
import type { StatusManagerSubject } from './subject.js';

/** The promises of `StatusManager` of `@nodeagent/api`. */
export const statusManagerSuite: Suite<StatusManagerSubject> = { name: 'StatusManager', cases: [...statusCases, ...changeCases] };
