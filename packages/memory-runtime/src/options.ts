import { type Clock, NodeAgentError } from '@nodeagent/api';
import type { CgroupDriver, RuntimeHandler } from '@nodeagent/cri-api';
import type { RecordedCall } from './calls.js';

/** Where the runtime's files go: container logs in CRI's format and termination messages. Parent folders are the port's business. */
export interface FileSink {
  append(path: string, text: string): void;
}

/** Options of {@link createMemoryRuntime}. */
export interface MemoryRuntimeOptions {
  clock: Clock;
  /** The runtime's name in `Version`. Default `memory`. */
  runtimeName?: string;
  /** Default `1.0.0`. */
  runtimeVersion?: string;
  /** Goes into every id, so that the containers of two nodes differ. Default empty. */
  seed?: string;
  /** Images that are there from the start; `'any'`: every image is there. Default none; every image can be pulled. */
  images?: 'any' | readonly string[];
  /** IPs of the n-th sandbox, n from 0 on. Default one of 10.88.0.0/16. */
  podIPs?: (n: number) => string[];
  /** Default `CGROUPFS`. */
  cgroupDriver?: CgroupDriver;
  /** Runtime handlers beside the default one (the empty name). */
  runtimeHandlers?: readonly RuntimeHandler[];
  /** How many calls are kept in {@link MemoryRuntime.calls}. Default 1000; 0 keeps none. */
  recordCalls?: number;
  /** Called when a call has been answered, and when a stream begins. Default: nobody is told. */
  onCall?: (call: RecordedCall) => void;
  /** Default: files are not written; {@link MemoryRuntime.logs} has the log lines. */
  files?: FileSink;
}

export type EffectiveRuntimeOptions = Required<Omit<MemoryRuntimeOptions, 'files'>> & { files: FileSink };

/** The options with their defaults. */
export function withDefaults(options: MemoryRuntimeOptions): EffectiveRuntimeOptions {
  const { recordCalls = 1_000 } = options;
  if (!Number.isInteger(recordCalls) || recordCalls < 0) {
    throw new NodeAgentError('TESTING_INVALID_OPTION', `recordCalls: must be a whole number from 0 on, not ${recordCalls}`);
  }
  if (typeof options.clock?.now !== 'function') throw new NodeAgentError('TESTING_INVALID_OPTION', 'clock: must be a Clock');
  return {
    clock: options.clock,
    runtimeName: options.runtimeName ?? 'memory',
    runtimeVersion: options.runtimeVersion ?? '1.0.0',
    seed: options.seed ?? '',
    images: options.images ?? [],
    podIPs: options.podIPs ?? ((n) => [`10.88.${((n + 2) >> 8) & 255}.${(n + 2) & 255}`]),
    cgroupDriver: options.cgroupDriver ?? 'CGROUPFS',
    runtimeHandlers: options.runtimeHandlers ?? [],
    recordCalls,
    onCall: options.onCall ?? (() => {}),
    files: options.files ?? { append() {} },
  };
}
