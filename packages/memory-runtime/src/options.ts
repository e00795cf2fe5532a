import { type Clock, NodeAgentError } from '@nodeagent/api';
import type { CgroupDriver, RuntimeHandler } from '@nodeagent/cri-api';
import type { Script } from './behaviour.js';
import type { RecordedCall } from './calls.js';
import { createMemoryFileSystem, type MemoryFileSystem } from './files/memory-file-system.js';
import type { ProgramNetwork } from './program/network.js';

/** Receives the runtime's files: container logs in the CRI format and termination messages. The sink creates parent folders. */
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
  /** Part of every id, so that the ids of two nodes differ. Default empty. */
  seed?: string;
  /** Images present from the start; `'any'`: all images. Default none; every image can be pulled. */
  images?: 'any' | readonly string[];
  /** IP addresses of the n-th sandbox, n from 0. Default: one of 10.88.0.0/16. */
  podIPs?: (n: number) => string[];
  /** Default `CGROUPFS`. */
  cgroupDriver?: CgroupDriver;
  /** How containers behave that no script matches and whose image has no program. Default: they run until they are stopped. */
  behaviour?: Script;
  /** Runtime handlers in addition to the default one (with an empty name). */
  runtimeHandlers?: readonly RuntimeHandler[];
  /** Maximum number of calls in {@link MemoryRuntime.calls}. Default 1000; 0 for none. */
  recordCalls?: number;
  /** Called after each call, and at the start of each stream. Default: none. */
  onCall?: (call: RecordedCall) => void;
  /** Receives logs and termination messages. Default: files are not written; {@link MemoryRuntime.logs} has the log lines. */
  files?: FileSink;
  /** The node's files, which programs see through the mounts of their containers. Default: a new one. */
  fileSystem?: MemoryFileSystem;
  /** The network of programs beyond their pod. Default: the addresses of this runtime's pods, no names. */
  network?: ProgramNetwork;
  /** The node's addresses, at which pods in the host network respond. Default none. */
  hostIPs?: readonly string[];
}

export type EffectiveRuntimeOptions = Required<Omit<MemoryRuntimeOptions, 'network'>> & Pick<MemoryRuntimeOptions, 'network'>;

/** Validates the options and applies the defaults. */
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
    behaviour: options.behaviour ?? {},
    runtimeHandlers: options.runtimeHandlers ?? [],
    recordCalls,
    onCall: options.onCall ?? (() => {}),
    files: options.files ?? { append() {} },
    fileSystem: options.fileSystem ?? createMemoryFileSystem(),
    hostIPs: options.hostIPs ?? [],
    ...(options.network && { network: options.network }),
  };
}
