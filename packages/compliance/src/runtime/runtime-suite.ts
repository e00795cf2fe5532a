import type { Suite } from '../suite/suite.js';
import { capabilityCases } from './capability-cases.js';
import { endCases } from './end-cases.js';
import { podCases } from './pod-cases.js';
import type { RuntimeSubject } from './subject.js';

/** The promises of `Runtime` of `@nodeagent/api` and of its capabilities. */
export const runtimeSuite: Suite<RuntimeSubject> = { name: 'Runtime', cases: [...podCases, ...endCases, ...capabilityCases] };
