/**
 * By scenario, the positions in its reference of the statuses that an agent which follows container events may skip, from 0: they are
 * outdated before the agent writes them. All others are required. docs/decisions/0012.
 */
export const skippableStatuses: Readonly<Record<string, readonly number[]>> = {
  // A container that could not be started already waits for its back-off, or has been started once more. Then the pod is deleted while no
  // container runs: only its sandbox stops.
  'command-not-found': [3, 6],
  'crash-loop': [12],
  'poststart-fails': [3, 5, 6, 7],
  // The pod is deleted before a container was created, and its sandbox stops.
  'config-missing': [3, 4],
  'image-invalid': [3, 4],
  'image-missing': [6, 7],
  'image-never': [3, 4],
  // The containers terminate when they have just started, and the sandbox stops.
  'init-fails-never': [2, 3],
  'termination-message': [2, 3],
  // The readiness probe runs as soon as the container has started.
  'startup-probe': [3],
};

/**
 * The statuses of a reference that an agent must write, given those that it wrote: all except skipped ones that may be skipped, which on a
 * runtime can be further ones.
 */
export function requiredStatuses(
  scenario: string,
  reference: readonly string[],
  found: readonly string[],
  further: readonly number[] = [],
): string[] {
  const written = new Set(found);
  const skippable = new Set([...(skippableStatuses[scenario] ?? []), ...further]);
  return reference.filter((line, index) => !skippable.has(index) || written.has(line));
}

/** The steps of a status without skipped ones: if all containers have terminated, the pod keeps its last written phase until it has terminated; if `Running` was skipped, that phase is `Pending`.
 */
export function withHeldPhases(reference: readonly string[], found: readonly string[]): string[] {
  const steps = found.map((line, index) => {
    if (reference.includes(line) || phaseOf(line) !== phaseOf(found[index - 1] ?? '')) return line;
    return reference.find((other) => restOf(other) === restOf(line)) ?? line;
  });
  return steps.filter((line, index) => line !== steps[index - 1]);
}

const phaseOf = (line: string) => /^\w*/.exec(line)?.[0];
const restOf = (line: string) => line.replace(/^\w*/, '');
