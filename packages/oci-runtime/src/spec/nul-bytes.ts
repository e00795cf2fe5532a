import { invalidArgument } from '../errors.js';

/**
 * Refuses texts with NUL bytes anywhere in a specification, for which its field is named, such as `mounts.3.destination`. An OCI runtime in C takes
 * the text before the NUL byte: another path than the one that was checked.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT
 */
export function refuseNulBytes(value: unknown, field = ''): void {
  if (typeof value === 'string' && value.includes('\0')) throw invalidArgument(field, 'must have no NUL byte');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    refuseNulBytes(name, `a name in ${field}`);
    refuseNulBytes(member, field === '' ? name : `${field}.${name}`);
  }
}
