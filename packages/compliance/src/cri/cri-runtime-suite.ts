import type { Suite } from '../suite/suite.js';
import { containerCases } from './container-cases.js';
import { featureCases } from './feature-cases.js';
import { runtimeCases } from './runtime-cases.js';
import { sandboxCases } from './sandbox-cases.js';
import { stopCases } from './stop-cases.js';
import { streamingCases } from './streaming-cases.js';
import type { CriSubject } from './subject.js';

/** What a kubelet relies on in a CRI runtime: the promises in the CRI's comments, and the common behaviour of containerd and CRI-O. */
export const criRuntimeSuite: Suite<CriSubject> = {
  name: 'CRI v1 runtime',
  cases: [...runtimeCases, ...sandboxCases, ...containerCases, ...stopCases, ...featureCases, ...streamingCases],
};
