import { NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';

/** A range of user or group IDs of a user namespace, as `IDMapping` of the CRI. */
export interface IdMapping {
  /** The first ID on the machine. */
  hostId: number;
  /** The first ID in the container. */
  containerId: number;
  /** Number of IDs. */
  length: number;
}

/** The mappings of a user namespace. */
export interface IdMappings {
  uids: readonly IdMapping[];
  gids: readonly IdMapping[];
}

/** The kernel's limits: user_namespaces(7). */
const [maxId, maxRanges] = [2 ** 32 - 2, 340];

/** The ID on the machine of an ID in the container; undefined if no range has it: such files stay as they are, and are unmapped in the container. */
export function hostId(mappings: readonly IdMapping[], id: number): number | undefined {
  const range = mappings.find(({ containerId, length }) => id >= containerId && id < containerId + length);
  return range && range.hostId + (id - range.containerId);
}

/** Throws `InvalidOption` unless both have ranges that the kernel accepts. */
export function requireIdMappings({ uids, gids }: IdMappings): void {
  for (const [field, ranges] of Object.entries({ uids, gids })) {
    const problem = rangeProblem(ranges);
    if (problem === undefined) continue;
    throw new NodeAgentError(imageStoreErrorCodes.invalidOption, `idMappings.${field} ${problem}`, {
      details: { field: `idMappings.${field}` },
    });
  }
}

function rangeProblem(ranges: readonly IdMapping[]): string | undefined {
  if (ranges.length === 0 || ranges.length > maxRanges) return `must have 1 to ${maxRanges} ranges`;
  const isRange = (first: number, length: number) =>
    Number.isInteger(first) && Number.isInteger(length) && first >= 0 && length > 0 && first + length - 1 <= maxId;
  if (!ranges.every(({ hostId, containerId, length }) => isRange(hostId, length) && isRange(containerId, length)))
    return `must have whole numbers from 0 to ${maxId}`;
  const overlaps = (key: 'hostId' | 'containerId') =>
    ranges.some((a, index) => ranges.slice(index + 1).some((b) => a[key] < b[key] + b.length && b[key] < a[key] + a.length));
  return overlaps('hostId') || overlaps('containerId') ? 'must have ranges that do not overlap' : undefined;
}

/** The option of mount(8) for a bind mount that shows the IDs of the container's files as those on the machine; from util-linux 2.39 on. */
export function idmapOption({ uids, gids }: IdMappings): string {
  const text = (type: string, ranges: readonly IdMapping[]) =>
    ranges.map((range) => `${type}:${range.containerId}:${range.hostId}:${range.length}`);
  return `X-mount.idmap=${[...text('u', uids), ...text('g', gids)].join(' ')}`;
}

/** The ranges as a file such as /proc/PID/uid_map takes them: user_namespaces(7). */
export const idmapText = (ranges: readonly IdMapping[]): string =>
  ranges.map(({ containerId, hostId, length }) => `${containerId} ${hostId} ${length}\n`).join('');
