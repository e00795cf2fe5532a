import type { LineChange } from '../support/source-copy.js';

/** One wrong line in the source of a package, which a test must find. */
export interface Mutant extends LineChange {
  /** Name of its package, which is the folder below `packages`. */
  packageName: string;
  /** Why no test finds it; such a mutant counts as survived, with this reason. */
  survives?: string;
}

type ListedMutant = readonly [name: string, file: string, find: string, replace: string, survives?: string];

/** Mutants of one package; files are below its `src`. */
export function mutantsOf(packageName: string, ...mutants: readonly ListedMutant[]): Mutant[] {
  return mutants.map(([name, file, find, replace, survives]) => ({
    name: `${packageName}/${name}`,
    packageName,
    file: `packages/${packageName}/src/${file}`,
    find,
    replace,
    ...(survives !== undefined && { survives }),
  }));
}
