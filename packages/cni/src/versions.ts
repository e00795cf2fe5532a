/** The versions of the CNI specification whose configurations and results this package reads and writes, in ascending order. */
export const cniVersions = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

export type CniVersion = (typeof cniVersions)[number];

export const isCniVersion = (value: unknown): value is CniVersion => cniVersions.includes(value as CniVersion);

/** Whether `version` is at least `minimum`. */
export const isSince = (version: CniVersion, minimum: CniVersion): boolean => cniVersions.indexOf(version) >= cniVersions.indexOf(minimum);

/** The highest version of a list that this package supports; undefined if it supports none. */
export const highestVersion = (versions: readonly string[]): CniVersion | undefined =>
  cniVersions.findLast((version) => versions.includes(version));
