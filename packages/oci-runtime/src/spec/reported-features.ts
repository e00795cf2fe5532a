import { isObject } from '@nodeagent/api/helpers';
import type { OciRuntimeFeatures } from './machine.js';

/**
 * Reads what a runtime prints for `features`, as newer ones do: OCI runtime specification, "Features". Undefined for another output. Members
 * that a runtime does not report are absent: it may have what its version of the specification had no word for.
 */
export function reportedFeatures(output: string): Partial<OciRuntimeFeatures> | undefined {
  const reported = parseObject(output);
  if (reported === undefined) return undefined;
  const { mountOptions } = reported;
  const idmap = memberOf(memberOf(memberOf(reported, 'linux'), 'mountExtensions'), 'idmap');
  return {
    ...(Array.isArray(mountOptions) && { recursiveReadOnlyMounts: mountOptions.includes('rro') }),
    ...(typeof idmap?.enabled === 'boolean' && { idMappedMounts: idmap.enabled }),
  };
}

/**
 * Whether a runtime is built with CRIU, for checkpoints: crun prints it for `--version`, runc for `features`.
 *
 * @param versionOutput - what it prints for `--version`
 * @param featuresOutput - what it prints for `features`
 */
export function hasCheckpoints(versionOutput: string, featuresOutput: string): boolean {
  const { 'org.opencontainers.runc.checkpoint.enabled': isEnabled } = memberOf(parseObject(featuresOutput), 'annotations') ?? {};
  return isEnabled === 'true' || /(^|\s)\+CRIU(\s|$)/.test(versionOutput);
}

function memberOf(value: Record<string, unknown> | undefined, name: string): Record<string, unknown> | undefined {
  const member = value?.[name];
  return isObject(member) ? member : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
