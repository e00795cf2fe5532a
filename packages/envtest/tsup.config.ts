import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;
const programs = ['bin', 'kube-apiserver', 'etcd', 'kubectl'].map((name) => `src/${name}.ts`);

/** The library as every package, and the programs. */
export default defineConfig([library, { ...library, entry: programs, format: ['esm'], splitting: false }]);
