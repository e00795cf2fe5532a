import type { Suite } from '../suite/suite.js';
import { capabilityCases } from './capability-cases.js';
import { mountCases } from './mount-cases.js';
import type { VolumeManagerSubject } from './subject.js';

/** What `VolumeManager` of `@nodeagent/api` and its capabilities promise. */
export const volumeManagerSuite: Suite<VolumeManagerSubject> = { name: 'VolumeManager', cases: [...mountCases, ...capabilityCases] };
