/**
 * V8 flags for an agent, which shares its node with pods: keep the heap close to the live size, and compile only hot functions.
 * docs/performance.md has the measurements of each flag, also of those that brought nothing.
 */
const common = ['--semi-space-growth-factor=1', '--heap-growing-percent=20'];

/** The amount of bytecode after which V8 optimizes a function. Node 22 and later count calls instead and have no such flag. */
const before22 = ['--interrupt-budget=2000000'];

/** The flags for a version of Node such as `24.21.0`. All are flags that this version has: V8 reports others on the standard error. */
export const v8FlagsOf = (nodeVersion: string): readonly string[] => [
  ...common,
  ...(Number.parseInt(nodeVersion, 10) < 22 ? before22 : []),
];
