import { NodeAgentError } from '@nodeagent/api';
import { csiErrorCodes } from './errors.js';

/** The numbers of a driver's version: `1.5.0` for `v1.5.0-rc1`. */
export type CsiVersion = readonly bigint[];

export const formatCsiVersion = (version: CsiVersion) => version.join('.');

const largest = 2n ** 64n - 1n;

function parseVersion(text: string): CsiVersion | undefined {
  const components = /^\s*v?([0-9]+(?:\.[0-9]+)*)/.exec(text)?.[1]?.split('.') ?? [];
  if (components.length < 2 || /^0./.test(components[0] ?? '')) return undefined;
  const numbers = components.map(BigInt);
  return numbers.some((number) => number > largest) ? undefined : numbers;
}

/** Whether `a` is lower than `b`; missing components count as 0. */
export function isLowerCsiVersion(a: CsiVersion, b: CsiVersion): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i] ?? 0n, b[i] ?? 0n];
    if (left !== right) return left < right;
  }
  return false;
}

/**
 * The highest version of a driver that a kubelet supports: 1.x; of equal ones (`1.0`, `1.0.0`) the last. Throws `CsiVersionUnsupported` if there is none, and
 * `CsiDriverExists` if a driver of this name is registered with a version that is not lower.
 */
export function chooseCsiVersion(versions: readonly string[], existing?: CsiVersion): CsiVersion {
  if (versions.length === 0) throw unsupported('Plugin returned an empty list for supported versions');
  let highest: CsiVersion | undefined;
  for (const version of versions.map(parseVersion)) {
    if (version === undefined || (version[0] as bigint) > 1n) continue;
    if (highest === undefined || !isLowerCsiVersion(version, highest)) highest = version;
  }
  const listed = `[${versions.map((version) => JSON.stringify(version)).join(' ')}]`;
  if (highest === undefined)
    throw unsupported(
      `None of the versions specified ${listed} are supported. err=could not find a highest supported version from versions (${listed}) reported by this driver: no supported version found`,
    );
  if (highest[0] !== 1n)
    throw unsupported(
      `None of the versions specified ${listed} are supported. err=highest supported version reported by driver is no longer supported: "${formatCsiVersion(highest)}"`,
    );
  if (existing !== undefined && !isLowerCsiVersion(existing, highest))
    throw new NodeAgentError(
      csiErrorCodes.csiDriverExists,
      `Another driver with the same name is already registered with a higher supported version: "${formatCsiVersion(existing)}"`,
    );
  return highest;
}

const unsupported = (message: string) => new NodeAgentError(csiErrorCodes.csiVersionUnsupported, message);
