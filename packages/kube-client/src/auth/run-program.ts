/** A program to run, without a shell. */
export interface ProgramRequest {
  command: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface ProgramResult {
  /** Undefined if the program did not run, or was killed by a signal. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  /** Why the program did not run: `ENOENT`, `EACCES`, ... */
  problem?: string;
}

/** Runs a program until it exits, and kills it when the signal aborts; the port of credential plugins. Rejects only with the signal's reason. */
export type RunProgram = (request: ProgramRequest) => Promise<ProgramResult>;
