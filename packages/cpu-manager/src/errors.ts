import { admissionError, NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. */
export const cpuManagerErrorCodes = {
  /** An option is missing, unknown or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** Fewer CPUs are free than are requested. Details: `requested`, `available`. */
  notEnoughCpus: 'NotEnoughCpus',
  /** With the option `full-pcpus-only`, a container cannot have whole cores. The reason of the refused pod. */
  smtAlignment: 'SMTAlignmentError',
  /** The state file is corrupt, of another policy, or does not fit the machine; the manager does not start. Details: `path`. */
  invalidState: 'InvalidCpuManagerState',
} as const;

export const notEnoughCpus = (requested: number, available: number) =>
  new NodeAgentError(
    cpuManagerErrorCodes.notEnoughCpus,
    `not enough cpus available to satisfy request: requested=${requested}, available=${available}`,
    { details: { requested, available } },
  );

export const smtAlignmentError = (problem: string) => admissionError(cpuManagerErrorCodes.smtAlignment, `SMT Alignment Error: ${problem}`);

export const invalidState = (path: string, message: string, cause?: unknown) =>
  new NodeAgentError(cpuManagerErrorCodes.invalidState, message, {
    cause,
    details: { path },
    hint: `Drain the node, remove ${path} and restart the agent.`,
  });
