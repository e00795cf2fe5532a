import { readFileSync } from 'node:fs';
import { isConfigurationName } from '@nodeagent/cni/decisions';
import { findKubelets } from '@nodeagent/core/node';
import { defaultCniConfigDir, defaultCniPluginDirs, namesIn } from './cni-folders.js';
import { distributionOf } from './distribution.js';
import { findPrograms } from './find-programs.js';
import { missingNeeds, ociPrograms, type RuntimeFacts, type RuntimeProbe } from './runtime-facts.js';

export interface RuntimeFactsOptions {
  isRoot: boolean;
  env: NodeJS.ProcessEnv;
  /** The OCI runtime that is tried first: that of the previous run, or of a flag. */
  program?: string | undefined;
  /** On the file system of the containers: it does not exist before and after. */
  probeFolder: string;
  cniConfigDir?: string | undefined;
  cniPluginDirs?: readonly string[] | undefined;
}

/** Reads the facts once. It runs a container by crun or runc if nothing else is missing. */
export async function readRuntimeFacts(options: RuntimeFactsOptions): Promise<RuntimeFacts> {
  const { isRoot, env, program, cniConfigDir = defaultCniConfigDir, cniPluginDirs = defaultCniPluginDirs } = options;
  const [kubelet] = findKubelets();
  const facts = {
    platform: process.platform,
    isRoot,
    distribution: distributionOf(textOf('/etc/os-release')),
    programs: findPrograms([...ociPrograms, 'conmon', 'unshare', 'nsenter', 'ip'], env.PATH),
    cniPlugins: cniPluginDirs.flatMap(namesIn),
    hasCniConfiguration: namesIn(cniConfigDir).some(isConfigurationName),
    ...(kubelet && { kubeletPid: kubelet.pid }),
  };
  const isReady = isRoot && facts.platform === 'linux' && missingNeeds(facts).length === 0;
  const paths = [program, ...ociPrograms.map((name) => facts.programs[name])].filter((path) => path !== undefined);
  return { ...facts, probes: isReady ? await probe([...new Set(paths)], options.probeFolder) : [] };
}

/** Runs containers until one program succeeds. */
async function probe(paths: readonly string[], folder: string): Promise<RuntimeProbe[]> {
  // Loaded lazily: only a machine that has all else needs it.
  const { probeOciProgram } = await import('@nodeagent/oci-runtime');
  const probes: RuntimeProbe[] = [];
  for (const path of paths) {
    const found = await probeOciProgram(path, folder);
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
