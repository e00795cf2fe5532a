/**
 * The steps of a status that must be there: all but those that may pass too quickly to be written by an agent that need not wait for the
 * next listing. The first and the last are never left out. docs/decisions/0012.
 */
export function withoutPassing(reference: readonly string[], found: readonly string[]): string[] {
  const written = new Set(found);
  return reference.filter((line, index) => index === 0 || index === reference.length - 1 || written.has(line));
}

/**
 * The steps of a status as they would be had none passed: containers that have all ended leave a pod the phase that was written last until
 * it has ended itself, and where `Running` passed that is `Pending`.
 */
export function withHeldPhases(reference: readonly string[], found: readonly string[]): string[] {
  return found.map((line, index) => {
    if (reference.includes(line) || phaseOf(line) !== phaseOf(found[index - 1] ?? '')) return line;
    return reference.find((other) => restOf(other) === restOf(line)) ?? line;
  });
}

const phaseOf = (line: string) => /^\w*/.exec(line)?.[0];
const restOf = (line: string) => line.replace(/^\w*/, '');
