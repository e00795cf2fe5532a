/** What starting and stopping pods took: wall and CPU time in seconds, memory in MiB while they ran, and the processes that have it. */
export interface Round {
  startWall: number;
  startCpu: number;
  stopWall: number;
  stopCpu: number;
  memory: number;
  processes: number;
}
