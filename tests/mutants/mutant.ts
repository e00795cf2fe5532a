import type { LineChange } from '../support/source-copy.js';

/** One wrong line in the source of a package, which a test must find. */
export interface Mutant extends LineChange {
  /** Why no test finds it; such a mutant counts as survived, with this reason. */
  survives?: string;
}

/** Mutants of one package: each is `[name, file below src, find, replace]`. */
export function mutantsOf(
  packageName: string,
  ...mutants: readonly [name: string, file: string, find: string, replace: string][]
): Mutant[] {
  return mutants.map(([name, file, find, replace]) => ({
    name: `${packageName}/${name}`,
    file: `packages/${packageName}/src/${file}`,
    find,
    replace,
  }));
}
