import { ociObstacle } from '../machine/choose-runtime.js';
import { installCommand, type Need } from '../machine/distribution.js';
import { type Check, type Finding, failed, ok, warning } from './check.js';
import type { DoctorFacts } from './doctor-facts.js';

/** `crun 1.8.1 at /usr/bin/crun` */
function found({ programs, versions }: DoctorFacts, name: string): string {
  return `${[name, versions[name]].filter((part) => part !== undefined).join(' ')} at ${programs[name]}`;
}

/** A check whether programs are there, of which the first is shown. */
function programCheck(need: Need, programs: readonly string[], lack: (text: string, hint: string) => Finding, use: string): Check {
  return {
    name: need,
    run(facts) {
      const missing = programs.filter((name) => facts.programs[name] === undefined);
      if (missing.length === 0) return ok(found(facts, programs[0] as string));
      return lack(`${missing.join(' and ')} not found: ${use}`, installCommand(facts.distribution, [need]));
    },
  };
}

export const programChecks: readonly Check[] = [
  {
    name: 'OCI runtime',
    run(facts) {
      const { ociPrograms, probes, isRoot, distribution } = facts;
      if (ociPrograms.length === 0) return failed('neither crun nor runc found', installCommand(distribution, ['crun']));
      const usable = probes.find(({ problem }) => problem === undefined);
      const refused = probes.filter(({ problem }) => problem !== undefined).map(({ title, problem }) => `${title} cannot: ${problem}`);
      if (usable !== undefined && refused.length === 0) return ok(`${usable.title} at ${usable.path} runs containers`);
      if (usable !== undefined) return warning(`${usable.title} at ${usable.path} runs containers; ${refused.join('; ')}`);
      const untried = `${ociPrograms.join(' and ')} not tried: ${isRoot ? 'something else is missing' : 'this needs root'}`;
      return probes.length === 0 ? warning(untried) : failed(refused.join('; '), ociObstacle(facts)?.hint);
    },
  },
  programCheck('conmon', ['conmon'], failed, 'it keeps logs and exit codes of containers'),
  programCheck('util-linux', ['unshare', 'nsenter'], failed, 'they create the namespaces of pods'),
  programCheck('iproute2', ['ip'], failed, 'it starts the loopback interface of pods'),
  programCheck('catatonit', ['catatonit'], warning, 'pods with shareProcessNamespace do not start'),
  programCheck('socat', ['socat'], warning, 'attach and port-forward do not work'),
  programCheck('iptables', ['iptables'], warning, 'pods reach this machine only, and have no host ports'),
];
