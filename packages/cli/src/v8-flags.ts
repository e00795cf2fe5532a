/**
 * V8 flags for an agent, which shares its node with pods: keep the heap close to the live size, and optimize only code that runs all the time, such as
 * that of logs which are followed. The rest of an agent waits for its runtime and its API server: compilers take as much CPU as their
 * code saves, and their code and data stay in memory. docs/performance.md has the measurements of each flag, also of those that brought nothing.
 */
const agentFlags = ['--semi-space-growth-factor=1', '--heap-growing-percent=20', '--optimize-for-size', '--no-turbofan', '--no-maglev'];

/** When a function is optimized: Node 20 counts bytecode, later versions count calls. Node 24 has Maglev, a smaller compiler than TurboFan. */
function optimizationOf(nodeMajor: number): { threshold: string; compiler: string } {
  if (nodeMajor < 22) return { threshold: '--interrupt-budget=100000000', compiler: '--turbofan' };
  if (nodeMajor < 24) return { threshold: '--invocation-count-for-turbofan=100000', compiler: '--turbofan' };
  return { threshold: '--invocation-count-for-maglev=100000', compiler: '--maglev' };
}

/** Flags of a process. */
export interface V8Flags {
  /** To be set before code is loaded. */
  atStart: readonly string[];
  /** To be set when the code of the start has run: a function has the threshold with which it was created until it first counts up to it. */
  later: readonly string[];
}

/** The flags for a command such as `run` and a version of Node such as `24.21.0`. The version has all of them: V8 reports others on the standard error. */
export function v8FlagsOf(command: string | undefined, nodeVersion: string): V8Flags {
  if (command !== 'run') return { atStart: [], later: [] };
  const { threshold, compiler } = optimizationOf(Number.parseInt(nodeVersion, 10));
  return { atStart: [...agentFlags, threshold], later: [compiler] };
}
