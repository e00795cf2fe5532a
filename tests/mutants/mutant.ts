/** One wrong line in the source of a package, which a test must find. */
export interface Mutant {
  /** Unique, in kebab case. */
  name: string;
  /** Path from the top of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
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
