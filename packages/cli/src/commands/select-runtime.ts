import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import type { Console } from '../console.js';
import { chooseRuntime, ociObstacle, type RuntimeChoice } from '../machine/choose-runtime.js';
import { readRuntimeFacts } from '../machine/read-runtime-facts.js';
import { previousProgram } from '../oci/oci-state.js';
import type { RuntimeType } from './runtime-types.js';

/** Where the facts come from. */
export interface SelectRuntimeOptions {
  console: Pick<Console, 'env' | 'isRoot'>;
  /** State folder of the OCI runtime. */
  root: string;
  /** Path of the OCI runtime. Default: crun or runc of this machine. */
  program?: string | undefined;
  /** Whether pods get a network although there is no CNI configuration. */
  hasDefaultNetwork: boolean;
  cniConfigDir?: string | undefined;
  cniPluginDirs?: readonly string[] | undefined;
}

/**
 * The wanted runtime; undefined chooses by what the machine has.
 *
 * @param flag - names the setting in the error
 * @throws NodeAgentError `OCI_RUNTIME_UNAVAILABLE` if containers are wanted, and something for them is missing
 */
export async function selectRuntime(wanted: RuntimeType | undefined, flag: string, options: SelectRuntimeOptions): Promise<RuntimeChoice> {
  if (wanted === 'process') return { type: 'process', text: 'pods run as plain processes, without isolation' };
  const { console, root, program, ...network } = options;
  const facts = await readRuntimeFacts({
    ...console,
    ...network,
    program,
    previousProgram: previousProgram(root),
    probeFolder: join(root, `probe-${randomUUID()}`),
  });
  if (wanted === undefined) return chooseRuntime(facts);
  const obstacle = ociObstacle(facts);
  if (obstacle !== undefined) {
    throw new NodeAgentError('OCI_RUNTIME_UNAVAILABLE', `${flag}: oci: ${obstacle.problem}`, { hint: obstacle.hint });
  }
  const { kubeletPid: _, ...others } = facts;
  return chooseRuntime(others);
}
