/** What the bundle with the mutants exports. */
export { adapters } from '../adapters/index.js';
export { replayCase } from '../replay.js';
