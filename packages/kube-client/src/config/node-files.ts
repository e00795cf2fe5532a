import { readFile } from 'node:fs/promises';
import type { ConfigFiles } from './cluster-config.js';

/** The machine's own files. */
export const nodeFiles: ConfigFiles = { readFile: (path) => readFile(path, 'utf8') };
