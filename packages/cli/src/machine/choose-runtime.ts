import { basename } from 'node:path';
import { installCommand, type Need } from './distribution.js';
import { missingNeeds, ociProgramNames, type RuntimeFacts } from './runtime-facts.js';

/** How the pods of this machine run, and why, in one line. */
export type RuntimeChoice =
  | { type: 'oci' /** Path of crun or runc. */; program: string /** `crun 1.8.1` */; title: string; text: string }
  | { type: 'process'; text: string };

/** Why pods cannot run in containers here, and what to do about it. */
export interface OciObstacle {
  problem: string;
  hint?: string;
}

/** Containers if the machine has all that they need and no kubelet, else plain processes. */
export function chooseRuntime(facts: RuntimeFacts): RuntimeChoice {
  const usable = usableProbe(facts);
  const obstacle = ociObstacle(facts) ?? kubeletObstacle(facts);
  if (usable === undefined || obstacle !== undefined) {
    const { problem, hint } = obstacle ?? { problem: 'no OCI runtime was tried' };
    return { type: 'process', text: `pods run as plain processes, without isolation: ${problem}${hint ? ` (${hint})` : ''}` };
  }
  const refused = facts.probes.filter(({ problem }) => problem !== undefined);
  const why = refused.map(({ title, problem }) => `; ${title} cannot: ${problem}`).join('');
  return { type: 'oci', program: usable.path, title: usable.title, text: `pods run in containers of ${usable.title}${why}` };
}

/** Why this machine cannot run pods in containers; undefined if it can. */
export function ociObstacle(facts: RuntimeFacts): OciObstacle | undefined {
  const { platform, isRoot, distribution, ociPrograms, probes } = facts;
  if (platform !== 'linux') return { problem: `containers need Linux, not ${platform}` };
  const missing = missingNeeds(facts);
  if (missing.length > 0) {
    const command = installCommand(distribution, missing);
    return { problem: `containers need ${listed(missing)}`, hint: isRoot ? command : `as root: ${command}` };
  }
  if (!isRoot) return { problem: 'containers need root' };
  if (usableProbe(facts) !== undefined) return undefined;
  const refusals = probes.map(({ title, problem }) => `${title} cannot run containers here: ${problem}`);
  const other = ociProgramNames.find((name) => !ociPrograms.some((path) => basename(path) === name));
  return { problem: refusals.join('; '), ...(other && { hint: `try another OCI runtime: ${installCommand(distribution, [other])}` }) };
}

/** The cgroups of its pods would be those of the agent: only a flag gives the agent others. */
function kubeletObstacle({ kubeletPid }: RuntimeFacts): OciObstacle | undefined {
  if (kubeletPid === undefined) return undefined;
  return {
    problem: `a kubelet, process ${kubeletPid}, runs here`,
    hint: 'for containers beside it: --runtime-endpoint oci and another --cgroup-root',
  };
}

const usableProbe = ({ probes }: RuntimeFacts) => probes.find(({ problem }) => problem === undefined);

/** `crun, conmon and CNI plugins`; either OCI runtime will do. */
function listed(needs: readonly Need[]): string {
  const names = needs.map((need) => (need === 'crun' ? 'crun or runc' : need));
  return [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
}
