/**
 * V8 flags for an agent, which shares its node with pods: keep the heap close to the live size, and optimize only code that runs all the time, such as
 * that of logs which are followed. The rest of an agent waits for its runtime and its API server: compilers take as much CPU as their
 * code saves, and their code and data stay in memory. docs/performance.md has the measurements of each flag, also of those that brought nothing.
 */
const agentFlags = ['--semi-space-growth-factor=1', '--heap-growing-percent=20', '--optimize-for-size'];

/** After how much work of a function it is optimized. Node 20 counts bytecode, later versions count calls; Node 24 has a second, smaller compiler. */
function tierFlagsOf(nodeMajor: number): readonly string[] {
  if (nodeMajor < 22) return ['--interrupt-budget=100000000'];
  return nodeMajor < 24 ? ['--invocation-count-for-turbofan=100000'] : ['--no-turbofan', '--invocation-count-for-maglev=100000'];
}

/** The flags for a command such as `run` and a version of Node such as `24.21.0`. The version has all of them: V8 reports others on the standard error. */
export const v8FlagsOf = (command: string | undefined, nodeVersion: string): readonly string[] =>
  command === 'run' ? [...agentFlags, ...tierFlagsOf(Number.parseInt(nodeVersion, 10))] : [];
