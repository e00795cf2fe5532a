import { type CelFunctions, functionsOf } from '../functions.js';
import { amountFunctions } from './amounts.js';
import { formatFunctions } from './formats.js';
import { listFunctions } from './lists.js';
import { networkFunctions } from './network.js';
import { operators } from './operators.js';
import { standardFunctions } from './standard.js';
import { textFunctions } from './texts.js';

/** The functions that every expression of Kubernetes v1.36 has. */
export const libraryFunctions: CelFunctions = functionsOf([
  ...operators,
  ...standardFunctions,
  ...textFunctions,
  ...listFunctions,
  ...networkFunctions,
  ...amountFunctions,
  ...formatFunctions,
]);
