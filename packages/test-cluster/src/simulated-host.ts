import { createMemoryCheckpoints, type MachineFacts, memoryHost, type NodeHost } from '@nodeagent/core';
import { createMemoryFileSystem, type MemoryFileSystem } from '@nodeagent/memory-runtime';
import { agentFiles } from './agent-files.js';

/** What a node keeps in memory while agents come and go. */
export interface SimulatedHost {
  /** The files that its programs see. */
  fileSystem: MemoryFileSystem;
  /** The host of its agents. */
  host: NodeHost;
}

/** `given` replaces members of the host. */
export function createSimulatedHost(machine: MachineFacts, given: Partial<NodeHost> = {}): SimulatedHost {
  const fileSystem = createMemoryFileSystem();
  const { files = agentFiles(fileSystem), podDirs, cgroups } = given;
  const host = memoryHost({ machine, files, volumeFiles: fileSystem, ...(podDirs && { podDirs }), ...(cgroups && { cgroups }) });
  return { fileSystem, host: { ...host, checkpoints: createMemoryCheckpoints(), ...given } };
}
