import { readFile } from 'node:fs/promises';
import type { KubeconfigFiles } from './cluster-config.js';

/** The files of this machine. */
export const nodeFiles: KubeconfigFiles = { readFile: (path) => readFile(path, 'utf8') };
