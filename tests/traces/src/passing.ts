/**
 * By scenario, the positions in its reference of the statuses that an agent which follows container events may skip, from 0: they are
 * outdated before the agent writes them. All others are required. docs/decisions/0012.
 */
export const skippableStatuses: Readonly<Record<string, readonly number[]>> = {
  // The container that could not be started waits for its back-off already, or has been started once more.
  'command-not-found': [3],
  'poststart-fails': [3, 5, 6],
  // The sandbox has stopped, and the pod terminates with it.
  'config-missing': [4],
  'image-invalid': [4],
  'image-missing': [7],
  'image-never': [4],
  // The container terminates when it has just started.
  'init-fails-never': [2],
  'termination-message': [2, 3],
  // The readiness probe runs as soon as the container has started.
  'startup-probe': [3],
};

/** The statuses of a reference that an agent must write, given those that it wrote: all except skipped ones that may be skipped. */
export function requiredStatuses(scenario: string, reference: readonly string[], found: readonly string[]): string[] {
  const written = new Set(found);
  return reference.filter((line, index) => !skippableStatuses[scenario]?.includes(index) || written.has(line));
}

/** The steps of a status without skipped ones: if all containers have terminated, the pod keeps its last written phase until it has terminated; if `Running` was skipped, that phase is `Pending`.
 */
export function withHeldPhases(reference: readonly string[], found: readonly string[]): string[] {
  return found.map((line, index) => {
    if (reference.includes(line) || phaseOf(line) !== phaseOf(found[index - 1] ?? '')) return line;
    return reference.find((other) => restOf(other) === restOf(line)) ?? line;
  });
}

const phaseOf = (line: string) => /^\w*/.exec(line)?.[0];
const restOf = (line: string) => line.replace(/^\w*/, '');
