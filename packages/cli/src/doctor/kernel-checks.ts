import { ociRuntimeFeatures } from '@nodeagent/oci-runtime/decisions';
import { type Check, failed, ok, warning } from './check.js';
import type { DoctorFacts } from './doctor-facts.js';
import { isSince } from './parse-machine.js';

/** The first kernels with mount_setattr(2), and with idmapped mounts of tmpfs, which the kubelet requires for user namespaces. */
const mountSetattrKernel = [5, 12] as const;
const idmappedTmpfsKernel = [6, 3] as const;

/** Controllers that limits of pods need. */
const podControllers = ['cpu', 'cpuset', 'memory', 'pids'];

export const kernelChecks: readonly Check[] = [
  {
    name: 'system',
    run({ platform, kernel, architecture }) {
      if (platform !== 'linux') return failed(`${platform}: containers need Linux`);
      const text = `Linux ${kernel.text}, ${architecture}`;
      if (isSince(kernel, mountSetattrKernel)) return ok(text);
      return warning(`${text}: recursive read-only mounts need Linux 5.12`);
    },
  },
  {
    name: 'user',
    run: ({ isRoot }) => (isRoot ? ok('root') : failed('not root: containers need root', 'run it as root: sudo nodeagent doctor')),
  },
  {
    name: 'cgroups',
    run({ cgroups: { v1, v2, isReadOnly } }) {
      if (v1.length === 0 && v2 === undefined) return failed('not mounted', 'mount cgroup2 at /sys/fs/cgroup');
      if (isReadOnly) return failed('mounted read-only', 'in a container: run it privileged, with --cgroupns host');
      const controllers = v1.length > 0 ? v1 : (v2?.controllers ?? []);
      const text = `version ${v1.length > 0 ? 1 : 2}: ${controllers.join(', ')}`;
      const missing = podControllers.filter((name) => !controllers.includes(name));
      if (missing.length > 0) {
        return warning(`${text}; without ${missing.join(', ')} pods have no such limits`, 'see cgroup_enable= of the kernel command line');
      }
      if (v1.length === 0 || v2 === undefined || v2.controllers.length === 0) return ok(text);
      return warning(
        `${text}; hybrid: version 2 at ${v2.path} has ${v2.controllers.join(', ')}, which crun refuses`,
        'use runc, or start the machine with systemd.unified_cgroup_hierarchy=1',
      );
    },
  },
  {
    name: 'overlay',
    run({ fileSystems, storage, probes }) {
      if (probes.some(({ problem }) => problem === undefined)) return ok(`mounts on ${storage.type} work`);
      if (storage.type === 'overlay') {
        return failed(
          `${storage.path} is on an overlay file system, which cannot have another one`,
          'set --root-dir to a volume of the machine',
        );
      }
      return fileSystems.includes('overlay') ? ok('the kernel has it') : failed('the kernel has not loaded it', 'modprobe overlay');
    },
  },
  {
    name: 'idmapped mounts',
    run(facts) {
      if (!isSince(facts.kernel, idmappedTmpfsKernel)) return warning('pods with user namespaces need Linux 6.3');
      const capable = ['crun', 'runc'].find((name) => ociRuntimeFeatures({ name, version: facts.versions[name] ?? '0' }).idMappedMounts);
      if (capable === undefined) return warning('pods with user namespaces and volumes need crun 1.8 or runc 1.2');
      const used = usedProgram(facts);
      return used === undefined || used === capable ? ok(`kernel and ${capable}`) : warning(`${used} has none: ${capable} would`);
    },
  },
  {
    name: 'user namespaces',
    run({ sysctls }) {
      const max = sysctls['user/max_user_namespaces'];
      if (max === undefined) return warning('the kernel has none: pods with hostUsers: false do not start');
      return max > 0
        ? ok(`at most ${max}`)
        : warning('turned off: pods with hostUsers: false do not start', 'sysctl -w user.max_user_namespaces=15000');
    },
  },
  {
    name: 'seccomp',
    run: ({ hasSeccomp }) =>
      hasSeccomp ? ok('the kernel has it') : warning('the kernel has none: pods with a seccomp profile do not start'),
  },
  {
    name: 'security modules',
    run: ({ securityModules }) => ok(securityModules.length > 0 ? securityModules.join(', ') : 'neither AppArmor nor SELinux'),
  },
];

/** The name of the program that the runtime takes. */
function usedProgram({ probes }: DoctorFacts): string | undefined {
  return probes.find(({ problem }) => problem === undefined)?.title.split(' ')[0];
}
