import { errorMessage } from '@nodeagent/api';
import { CpuSet, dumpGoMap, dumpGoStruct, fnv1a32, isObject, quoteText } from '@nodeagent/api/helpers';
import { type CpuAssignments, type CpuState, eachAssignment, withAssignment } from './cpu-state.js';

/** The state file of a CPU manager: the kubelet's `cpu_manager_state`. */
export interface CpuCheckpoint {
  policyName: string;
  state: CpuState;
}

/** Finds the pod and the container of a container id, for files of kubelets before v1.20; undefined for an unknown id. */
export type ContainerLookup = (containerId: string) => { podUID: string; containerName: string } | undefined;

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Encodes a state file in the kubelet's format. */
export function encodeCpuCheckpoint({ policyName, state }: CpuCheckpoint): string {
  const defaultCpuSet = state.defaultCpuSet.toString();
  const entries: Record<string, Record<string, string>> = {};
  for (const { podUID, containerName, cpus } of eachAssignment(state.assignments)) {
    entries[podUID] = { ...entries[podUID], [containerName]: cpus.toString() };
  }
  const checksum = checksumOf(policyName, defaultCpuSet, dumpEntries(entries));
  return JSON.stringify({ policyName, defaultCpuSet, ...(state.assignments.size > 0 && { entries }), checksum });
}

/**
 * Decodes a state file of this package or a kubelet, also the older form whose entries are container ids. Throws an Error with the kubelet's
 * text if the file is corrupt or names a container id that `findContainer` does not know.
 */
export function decodeCpuCheckpoint(text: string, findContainer: ContainerLookup): CpuCheckpoint {
  const { policyName, defaultCpuSet, entries, checksum } = readFile(text);
  const isOlder = Object.values(entries).some((entry) => typeof entry === 'string');
  const dumped = isOlder ? dumpOlderEntries(entries as Record<string, string>) : dumpEntries(entries as Entries);
  if (checksum !== 0 && checksum !== checksumOf(policyName, defaultCpuSet, dumped)) throw corrupt();
  const assignments = isOlder ? readOlderEntries(entries as Record<string, string>, findContainer) : readEntries(entries as Entries);
  const readDefault = () => CpuSet.parse(defaultCpuSet);
  return {
    policyName,
    state: { defaultCpuSet: parse(readDefault, `could not parse default cpu set ${quoteText(defaultCpuSet)}`), assignments },
  };
}

const corrupt = () => new Error('checkpoint is corrupted');

function readFile(text: string) {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw corrupt();
  }
  if (!isObject(file)) throw corrupt();
  const { policyName = '', defaultCpuSet = '', checksum = 0 } = file;
  const entries = file.entries ?? {};
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(policyName) || !isText(defaultCpuSet) || typeof checksum !== 'number' || !isObject(entries)) throw corrupt();
  const values = Object.values(entries);
  const isTextMap = (value: unknown) => isObject(value) && Object.values(value).every(isText);
  if (!values.every(isText) && !values.every(isTextMap)) throw corrupt();
  return { policyName, defaultCpuSet, entries, checksum };
}

function readEntries(entries: Entries): CpuAssignments {
  let assignments: CpuAssignments = new Map();
  for (const [podUID, containers] of Object.entries(entries)) {
    for (const [containerName, text] of Object.entries(containers)) {
      const problem = `could not parse cpuset ${quoteText(text)} for container ${quoteText(containerName)} in pod ${quoteText(podUID)}`;
      const cpus = parse(() => CpuSet.parse(text), problem);
      assignments = withAssignment(assignments, podUID, containerName, cpus);
    }
  }
  return assignments;
}

function readOlderEntries(entries: Readonly<Record<string, string>>, findContainer: ContainerLookup): CpuAssignments {
  const migrated: Record<string, Record<string, string>> = {};
  for (const [containerId, cpus] of Object.entries(entries)) {
    const container = findContainer(containerId);
    if (container === undefined) {
      throw new Error(
        `error migrating v1 checkpoint state to v2 checkpoint state: containerID '${containerId}' not found in initial containers list`,
      );
    }
    const { podUID, containerName } = container;
    migrated[podUID] = { ...migrated[podUID], [containerName]: cpus };
  }
  return readEntries(migrated);
}

function parse<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${problem}: ${errorMessage(error)}`, { cause: error });
  }
}

/** The kubelet's checksum, which covers a dump of the file's Go struct with the checksum 0. */
function checksumOf(policyName: string, defaultCpuSet: string, entries: TypedDump): number {
  const dump = dumpGoStruct({
    PolicyName: ['string', policyName],
    DefaultCPUSet: ['string', defaultCpuSet],
    Entries: entries,
    Checksum: ['checksum.Checksum', 0],
  });
  return fnv1a32(`(*state.CPUManagerCheckpoint)${dump}`);
}

type TypedDump = readonly [type: string, dump: string];

const dumpEntries = (entries: Entries): TypedDump => ['map[string]map[string]string', dumpGoMap('string', entries, dumpTexts)];

const dumpOlderEntries = (entries: Readonly<Record<string, string>>): TypedDump => ['map[string]string', dumpTexts(entries)];

const dumpTexts = (texts: Readonly<Record<string, string>>) => dumpGoMap('string', texts, (text) => text);
