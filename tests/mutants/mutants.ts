import { foundationMutants } from './lists/foundations.js';
import { nodeMutants } from './lists/node.js';
import { podMutants } from './lists/pods.js';
import { promiseMutants } from './lists/promises.js';
import { resourceMutants } from './lists/resources.js';
import { testPackageMutants } from './lists/test-packages.js';
import { volumeMutants } from './lists/volumes.js';
import type { Mutant } from './mutant.js';

/** The committed mutants. */
export const mutants: readonly Mutant[] = [
  ...foundationMutants,
  ...nodeMutants,
  ...podMutants,
  ...promiseMutants,
  ...resourceMutants,
  ...testPackageMutants,
  ...volumeMutants,
];
