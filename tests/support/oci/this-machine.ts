import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { capabilityNames, type OciMachine, ociRuntimeFeatures, ociRuntimeVersion } from '@nodeagent/oci-runtime/decisions';

/** Facts of this machine for a runtime such as crun; undefined if it is not installed. */
export function thisMachine(runtime: string): OciMachine | undefined {
  const version = ociRuntimeVersion(spawnSync(runtime, ['--version'], { encoding: 'utf8' }).stdout ?? '');
  if (version === undefined) return undefined;
  const status = readFileSync('/proc/self/status', 'utf8');
  const isVersion2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const mounted = [...readFileSync('/proc/self/mountinfo', 'utf8').matchAll(/ - cgroup \S+ (\S+)$/gm)].flatMap(([, options = '']) =>
    options.split(','),
  );
  const available = () => readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').trim().split(' ');
  return {
    ociVersion: version.ociVersion,
    features: ociRuntimeFeatures(version),
    architecture: { x64: 'amd64' }[process.arch as string] ?? process.arch,
    hostname: hostname(),
    capabilities: capabilityNames(/^CapBnd:\s*(\S+)/m.exec(status)?.[1] ?? '0'),
    cgroups: {
      version: isVersion2 ? 2 : 1,
      driver: 'cgroupfs',
      controllers: isVersion2 ? available() : mounted,
      hasSwap: existsSync('/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes'),
    },
    hasSeccomp: /^Seccomp:/m.test(status),
    minOomScoreAdj: Number(readFileSync('/proc/self/oom_score_adj', 'utf8')),
  };
}
