import { NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. */
export const machineTopologyErrorCodes = {
  /** A file of the kernel is missing or breaks its format. Details: `path`. */
  invalidMachineTopology: 'InvalidMachineTopology',
} as const;

/** The error of a missing or malformed file. */
export const invalidFile = (path: string, problem: string, cause?: unknown) =>
  new NodeAgentError(machineTopologyErrorCodes.invalidMachineTopology, `failed to read the machine's topology: ${path}: ${problem}`, {
    cause,
    details: { path },
    hint: 'Mount the sysfs and procfs of the machine, or pass a MachineTopology of your own instead.',
  });
