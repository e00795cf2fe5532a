import { readFile } from 'node:fs/promises';
import type { KubeconfigFiles } from './cluster-config.js';

/** The machine's own files. */
export const nodeFiles: KubeconfigFiles = { readFile: (path) => readFile(path, 'utf8') };
