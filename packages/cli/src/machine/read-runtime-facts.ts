import { existsSync, readFileSync } from 'node:fs';
import { isConfigurationName } from '@nodeagent/cni/decisions';
import { findKubelets } from '@nodeagent/core/node';
import { defaultCniConfigDir, defaultCniPluginDirs, namesIn } from './cni-folders.js';
import { distributionOf } from './distribution.js';
import { findPrograms, rootPath } from './find-programs.js';
import { missingNeeds, ociProgramNames, type RuntimeFacts, type RuntimeProbe } from './runtime-facts.js';

export interface RuntimeFactsOptions {
  isRoot: boolean;
  env: NodeJS.ProcessEnv;
  /** Path of the only OCI runtime to try. Default: crun, then runc. */
  program?: string | undefined;
  /** Path of the OCI runtime to try before these. */
  previousProgram?: string | undefined;
  /** On the file system of the containers: it does not exist before and after. */
  probeFolder: string;
  /** Whether pods get a network although there is no CNI configuration. */
  hasDefaultNetwork: boolean;
  cniConfigDir?: string | undefined;
  cniPluginDirs?: readonly string[] | undefined;
}

/** Reads the facts once. It runs a container by crun or runc if nothing else is missing. */
export async function readRuntimeFacts(options: RuntimeFactsOptions): Promise<RuntimeFacts> {
  const { isRoot, hasDefaultNetwork, cniConfigDir = defaultCniConfigDir, cniPluginDirs = defaultCniPluginDirs } = options;
  const [kubelet] = findKubelets();
  const facts = {
    platform: process.platform,
    isRoot,
    distribution: distributionOf(textOf('/etc/os-release')),
    ociPrograms: ociProgramsOf(options),
    programs: findPrograms(['conmon', 'unshare', 'nsenter', 'ip'], rootPath(options)),
    cniPlugins: cniPluginDirs.flatMap(namesIn),
    usesDefaultNetwork: hasDefaultNetwork && !namesIn(cniConfigDir).some(isConfigurationName),
    ...(kubelet && { kubeletPid: kubelet.pid }),
  };
  const isReady = isRoot && facts.platform === 'linux' && missingNeeds(facts).length === 0;
  return { ...facts, probes: isReady ? await probe(facts.ociPrograms, options.probeFolder) : [] };
}

function ociProgramsOf({ program, previousProgram = '', ...console }: RuntimeFactsOptions): string[] {
  if (program !== undefined) return [program];
  const found = Object.values(findPrograms(ociProgramNames, rootPath(console)));
  return existsSync(previousProgram) ? [...new Set([previousProgram, ...found])] : found;
}

/** Runs containers until one program succeeds. */
async function probe(paths: readonly string[], folder: string): Promise<RuntimeProbe[]> {
  // Loaded lazily: only a machine that has all else needs it.
  const [{ probeOciProgram }, { openImageStore }] = await Promise.all([import('@nodeagent/oci-runtime'), import('@nodeagent/image-store')]);
  const probes: RuntimeProbe[] = [];
  for (const path of paths) {
    const found = await probeOciProgram(path, folder, openImageStore);
    probes.push(found);
    if (found.problem === undefined) break;
  }
  return probes;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
