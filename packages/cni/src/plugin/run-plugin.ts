import type { CniCommand } from '../types.js';

/** A call of a plugin's program. */
export interface PluginCall {
  /** The program's name. */
  plugin: string;
  /** `CNI_COMMAND` and the other variables of the call, without `CNI_PATH`. */
  env: Readonly<Record<string, string>> & { CNI_COMMAND: CniCommand };
  stdin: string;
}

/** How a plugin's program ended: its exit code, or the signal that ended it. */
export interface PluginOutput {
  exitCode?: number;
  signal?: string;
  stdout: string;
  /** The end of its log. */
  stderr: string;
  /** Whether it wrote more to stdout than the limit, and was killed for it. */
  isTooLong?: boolean;
}

/**
 * Runs a plugin's program. Resolves once it has ended and none of its child processes runs. When `signal` aborts it kills all of them, then rejects with
 * the signal's reason. Rejects with `CniPluginNotFound` if there is no such program. Calls may run concurrently.
 */
export type RunCniPlugin = (call: PluginCall, signal: AbortSignal) => Promise<PluginOutput>;
