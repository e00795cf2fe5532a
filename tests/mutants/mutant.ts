/** One wrong line in the source of a package, which a test must find. */
export interface Mutant {
  /** Unique, in kebab case. */
  name: string;
  /** Name of its package, which is the folder below `packages`. */
  packageName: string;
  /** Path from the top of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
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

/** The source with the wrong line. Throws if the line does not occur exactly once. */
export function mutate(source: string, { name, file, find, replace }: Mutant): string {
  if (source.split(find).length !== 2) throw new Error(`${name}: its line does not occur once in ${file}`);
  return source.replace(find, () => replace);
}
