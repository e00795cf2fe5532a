import {
  type ContainerStats,
  type CpuStats,
  errorMessage,
  type FsStats,
  type InterfaceStats,
  type IoStats,
  type MemoryStats,
  type NetworkStats,
  NodeAgentError,
  type NodeStats,
  type PodReference,
  type PodStats,
  type PsiData,
  type PsiStats,
  type RlimitStats,
  type RuntimeFsStats,
  type Summary,
  type SwapStats,
  type VolumeStats,
} from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { statsErrorCodes } from '../errors.js';

/** How a field is read. `absent` is the value of a required field that the JSON lacks; an optional field has none. */
type Field = { readonly absent?: unknown } & (
  | { readonly type: 'uint64' | 'int64' | 'number' | 'string' | 'boolean' }
  | { readonly type: 'object' | 'list'; readonly fields: AnyFields }
);
type AnyFields = Readonly<Record<string, Field>>;

/** A field for each member of a type, which the compiler checks. */
type Fields<T> = { readonly [Name in keyof T]-?: Field };

const object = (fields: AnyFields): Field => ({ type: 'object', fields });
const list = (fields: AnyFields): Field => ({ type: 'list', fields });
const uint64: Field = { type: 'uint64' };
const text: Field = { type: 'string', absent: '' };
const number: Field = { type: 'number', absent: 0 };
const time: Field = { type: 'string', absent: '0001-01-01T00:00:00Z' };

const psiData = { total: { ...uint64, absent: 0n }, avg10: number, avg60: number, avg300: number } satisfies Fields<PsiData>;
const psi = {
  full: { ...object(psiData), absent: {} },
  some: { ...object(psiData), absent: {} },
} satisfies Fields<PsiStats>;
const cpu = { time, usageNanoCores: uint64, usageCoreNanoSeconds: uint64, psi: object(psi) } satisfies Fields<CpuStats>;
const memory = {
  ...{ time, availableBytes: uint64, usageBytes: uint64, workingSetBytes: uint64, rssBytes: uint64 },
  ...{ pageFaults: uint64, majorPageFaults: uint64, psi: object(psi) },
} satisfies Fields<MemoryStats>;
const io = { time, psi: object(psi) } satisfies Fields<IoStats>;
const swap = { time, swapAvailableBytes: uint64, swapUsageBytes: uint64 } satisfies Fields<SwapStats>;
const networkInterface = {
  ...{ name: text, rxBytes: uint64, rxErrors: uint64, txBytes: uint64, txErrors: uint64 },
} satisfies Fields<InterfaceStats>;
const network = {
  ...networkInterface,
  ...{ time, name: { type: 'string' }, interfaces: list(networkInterface) },
} satisfies Fields<NetworkStats>;
const fs = {
  ...{ time, availableBytes: uint64, capacityBytes: uint64, usedBytes: uint64 },
  ...{ inodesFree: uint64, inodes: uint64, inodesUsed: uint64 },
} satisfies Fields<FsStats>;
const volume = {
  ...{ ...fs, name: text, pvcRef: object({ name: text, namespace: text }) },
  volumeHealthStats: object({ abnormal: { type: 'boolean', absent: false } }),
} satisfies Fields<VolumeStats>;
const container = {
  ...{ name: text, startTime: time, cpu: object(cpu), memory: object(memory), io: object(io) },
  ...{ rootfs: object(fs), logs: object(fs), swap: object(swap) },
} satisfies Fields<ContainerStats>;
const podRef = { name: text, namespace: text, uid: text } satisfies Fields<PodReference>;
const pod = {
  ...{ podRef: { ...object(podRef), absent: {} }, startTime: time, containers: { ...list(container), absent: [] } },
  ...{ cpu: object(cpu), memory: object(memory), io: object(io), network: object(network), volume: list(volume) },
  ...{ 'ephemeral-storage': object(fs), process_stats: object({ process_count: uint64 }), swap: object(swap) },
} satisfies Fields<PodStats>;
const runtime = { imageFs: object(fs), containerFs: object(fs) } satisfies Fields<RuntimeFsStats>;
const rlimit = { time, maxpid: { type: 'int64' }, curproc: { type: 'int64' } } satisfies Fields<RlimitStats>;
const node = {
  ...{ nodeName: text, systemContainers: list(container), startTime: time, cpu: object(cpu), memory: object(memory), io: object(io) },
  ...{ network: object(network), fs: object(fs), runtime: object(runtime), rlimit: object(rlimit), swap: object(swap) },
} satisfies Fields<NodeStats>;
const summary = { node: object(node), pods: { ...list(pod), absent: [] } } satisfies Fields<Summary>;

/**
 * Reads the response of a kubelet's `/stats/summary`, the Summary API `stats.k8s.io/v1alpha1`; {@link summaryJson} is its inverse. From a
 * text every 64-bit integer is exact. `JSON.parse` has rounded integers beyond 2^53 in a value that it has parsed; they stay rounded.
 *
 * Unknown fields are ignored, and null is absent. A required field that is absent has the zero value of Kubernetes: an empty string or
 * list, 0, or the time `0001-01-01T00:00:00Z`. Throws `InvalidSummary` for a text that is not JSON, without `node`, and for a value of
 * another type; `details.field` is its path, such as `pods[0].cpu.usageNanoCores`.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/node-metrics/
 */
export function parseSummary(json: string | object): Summary {
  const value = typeof json === 'string' ? parseExactly(json) : json;
  if (!isObject(value)) throw invalidSummary('', 'an object', value);
  if (!isObject(value.node)) throw invalidSummary('node', 'an object', value.node);
  return readObject(value, summary, '') as unknown as Summary;
}

function readObject(value: Record<string, unknown>, fields: AnyFields, path: string): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  // In the order of the JSON, so that a summary that is written again has the same bytes.
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined && member !== null && member !== undefined) read[name] = readValue(member, field, path + name);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.absent !== undefined && !Object.hasOwn(read, name)) read[name] = readValue(field.absent, field, path + name);
  }
  return read;
}

function readValue(value: unknown, field: Field, path: string): unknown {
  switch (field.type) {
    case 'object':
      if (!isObject(value)) throw invalidSummary(path, 'an object', value);
      return readObject(value, field.fields, `${path}.`);
    case 'list':
      if (!Array.isArray(value)) throw invalidSummary(path, 'a list', value);
      return value.map((item, index) => readValue(item, { type: 'object', fields: field.fields }, `${path}[${index}]`));
    case 'uint64':
      return readInteger(value, 0n, 2n ** 64n - 1n) ?? invalidField(path, 'an unsigned 64-bit integer', value);
    case 'int64':
      return readInteger(value, -(2n ** 63n), 2n ** 63n - 1n) ?? invalidField(path, 'a 64-bit integer', value);
    case 'number':
      return typeof value === 'number' ? value : Number(exactInteger(value) ?? invalidField(path, 'a number', value));
    case 'string':
      return typeof value === 'string' && !value.startsWith(mark) ? value : invalidField(path, 'a string', value);
    case 'boolean':
      return typeof value === 'boolean' ? value : invalidField(path, 'a boolean', value);
  }
}

/** The integer; undefined unless it is one between `min` and `max`. The largest value, rounded by `JSON.parse`, is one above `max`. */
function readInteger(value: unknown, min: bigint, max: bigint): bigint | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) {
    return BigInt(value) === max + 1n ? max : readInteger(BigInt(value), min, max);
  }
  const exact = exactInteger(value);
  return exact !== undefined && exact >= min && exact <= max ? exact : undefined;
}

/** Precedes the digits of an integer that a number does not hold exactly. No string of the Summary API starts with it. */
const mark = '\u0000';

function exactInteger(value: unknown): bigint | undefined {
  if (typeof value === 'string' && value.startsWith(mark)) return BigInt(value.slice(mark.length));
  return typeof value === 'bigint' ? value : undefined;
}

/** `JSON.parse`, with integers of 16 digits and more as marked strings. */
function parseExactly(json: string): unknown {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  try {
    return JSON.parse(json.replace(tokens, (token) => (/^-?\d{16,}$/.test(token) ? JSON.stringify(mark + token) : token)));
  } catch (cause) {
    throw new NodeAgentError(statsErrorCodes.invalidSummary, `invalid summary: ${errorMessage(cause)}`, { cause });
  }
}

function invalidField(field: string, rule: string, value: unknown): never {
  throw invalidSummary(field, rule, value);
}

function invalidSummary(field: string, rule: string, value: unknown): NodeAgentError {
  const shown = value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : shorten(value);
  const message = `invalid summary: ${field || 'it'} must be ${rule}, got ${shown}`;
  return new NodeAgentError(statsErrorCodes.invalidSummary, message, { details: { field } });
}

function shorten(value: unknown): string {
  const digits = exactInteger(value);
  return digits === undefined ? JSON.stringify(value).slice(0, 80) : String(digits).slice(0, 80);
}
