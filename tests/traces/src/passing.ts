/** The steps of a status that an agent must write: all except those that may be outdated before the write of an agent that does not wait for the next relist. The first and the last are required. docs/decisions/0012.
 */
export function withoutPassing(reference: readonly string[], found: readonly string[]): string[] {
  const written = new Set(found);
  return reference.filter((line, index) => index === 0 || index === reference.length - 1 || written.has(line));
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
