import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;
const programs = { entry: ['src/bin.ts', 'src/kube-apiserver.ts', 'src/etcd.ts', 'src/kubectl.ts'], format: ['esm'] };

/** The library as every package, and the programs. */
export default defineConfig([library, { ...library, ...programs, splitting: true }] as object[]);
