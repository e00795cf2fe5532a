import { listPipeHolders, type PipeHolders, type PipePlace } from './pipe-holders.js';
import { listProcesses, type ProcessInfo, shared } from './processes.js';

/** Inspects the machine's processes; concurrent calls share an inspection. */
export interface ProcessTable {
  list(): Promise<ProcessInfo[]>;
  pipeHolders(): Promise<PipeHolders>;
}

export function createProcessTable(pipes: PipePlace): ProcessTable {
  return { list: shared(listProcesses), pipeHolders: shared(() => listPipeHolders(pipes)) };
}
