import type { Suite } from '../suite/suite.js';
import { endCases } from './end-cases.js';
import { killCases } from './kill-cases.js';
import { knownPodsCases } from './known-pods-cases.js';
import type { PodWorkersSubject } from './subject.js';
import { syncCases } from './sync-cases.js';

/** The promises of `PodWorkers` of `@nodeagent/api`, and what it promises its `PodSyncer`. */
export const podWorkersSuite: Suite<PodWorkersSubject> = {
  name: 'PodWorkers',
  cases: [...syncCases, ...endCases, ...killCases, ...knownPodsCases],
};
