import type { Suite } from '../suite/suite.js';
import { capabilityCases } from './capability-cases.js';
import { mountCases } from './mount-cases.js';
import type { VolumeManagerSubject } from './subject.js';

/** The promises of `VolumeManager` of `@nodeagent/api` and of its capabilities. */
export const volumeManagerSuite: Suite<VolumeManagerSubject> = { name: 'VolumeManager', cases: [...mountCases, ...capabilityCases] };
