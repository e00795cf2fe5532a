import { thinVectors } from './thinning/thin-vectors.js';

process.exitCode = await thinVectors(process.argv.slice(2));
