import { existsSync, readFileSync } from 'node:fs';
import { arch, hostname } from 'node:os';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import { type CgroupHierarchy, createCgroupManager } from '@nodeagent/cgroups';
import { machineCgroupFiles } from '@nodeagent/cgroups/node';
import { unsupportedPlatform } from './errors.js';
import { capabilityNames } from './spec/capabilities.js';
import { type OciMachine, ociRuntimeFeatures, ociRuntimeVersion } from './spec/machine.js';
import { reportedFeatures } from './spec/reported-features.js';

const goArchitectures: Record<string, string> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/**
 * The facts of this machine that specifications depend on. Containers are not confined by AppArmor or SELinux unless they name a profile.
 *
 * @param versionOutput - what the OCI runtime prints for `--version`
 * @param featuresOutput - what it prints for `features`; an older one is known by its version
 */
export async function readMachine(versionOutput: string, featuresOutput = '', driver: CgroupDriverName = 'cgroupfs'): Promise<OciMachine> {
  const version = ociRuntimeVersion(versionOutput);
  if (version === undefined) throw unsupportedPlatform(`cannot use this OCI runtime: its version is "${versionOutput.trim()}"`);
  const status = readFileSync('/proc/self/status', 'utf8');
  const setOf = (name: string) => capabilityNames(new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0');
  const canLowerOomScore = setOf('CapEff').includes('CAP_SYS_RESOURCE');
  return {
    ociVersion: version.ociVersion,
    features: { ...ociRuntimeFeatures(version), ...reportedFeatures(featuresOutput) },
    architecture: goArchitectures[arch()] ?? arch(),
    hostname: hostname(),
    capabilities: setOf('CapBnd'),
    cgroups: cgroupFacts(await createCgroupManager({ files: machineCgroupFiles }).hierarchy(), driver),
    hasSeccomp: /^Seccomp:/m.test(status),
    ...(existsSync('/sys/kernel/security/apparmor') && { apparmor: {} }),
    ...(!canLowerOomScore && { minOomScoreAdj: Number(readFileSync('/proc/self/oom_score_adj', 'utf8')) }),
  };
}

function cgroupFacts(hierarchy: CgroupHierarchy, driver: CgroupDriverName): OciMachine['cgroups'] {
  const { version } = hierarchy;
  const controllers = [...(version === 1 ? hierarchy.controllers.keys() : hierarchy.controllers)];
  const memory = version === 1 ? hierarchy.controllers.get('memory') : undefined;
  const hasSwap = version === 1 ? existsSync(`${memory}/memory.memsw.limit_in_bytes`) : existsSync('/proc/swaps');
  return { version, driver, controllers, hasSwap };
}
