import type { Container } from '../objects/container.js';

/** A variable of a container's final environment. */
export interface EnvironmentVariable {
  name: string;
  value: string;
}

/** Finds a variable's value; undefined if there is none. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * Replaces `$(NAME)` by the variable's value. An unknown name stays as it is written, `$$` is an escaped `$`, and nothing is expanded
 * twice. Kubernetes documentation, "Define Dependent Environment Variables".
 */
export function expand(text: string, lookup: VariableLookup): string {
  let at = text.indexOf('$');
  if (at < 0) return text;
  let expanded = '';
  let from = 0;
  while (at >= 0 && at + 1 < text.length) {
    const next = text[at + 1];
    if (next === '$') {
      expanded += text.slice(from, at + 1);
      from = at + 2;
    } else {
      const end = next === '(' ? text.indexOf(')', at + 2) : -1;
      if (end >= 0) {
        expanded += text.slice(from, at) + (lookup(text.slice(at + 2, end)) ?? text.slice(at, end + 1));
        from = end + 1;
      } else {
        expanded += text.slice(from, at + 2);
        from = at + 2;
      }
    }
    at = text.indexOf('$', from);
  }
  return expanded + text.slice(from);
}

/** Looks up variables in a list; the last one of a name counts. */
function lookupIn(environment: readonly EnvironmentVariable[]): VariableLookup {
  const values = new Map(environment.map(({ name, value }) => [name, value]));
  return (name) => values.get(name);
}

/** The container's command with variables expanded, each element by itself; no shell is involved. */
export function expandContainerCommand(container: Pick<Container, 'command'>, environment: readonly EnvironmentVariable[]): string[] {
  const lookup = lookupIn(environment);
  return (container.command ?? []).map((element) => expand(element, lookup));
}

/** The container's arguments with variables expanded, as {@link expandContainerCommand}. */
export function expandContainerArgs(container: Pick<Container, 'args'>, environment: readonly EnvironmentVariable[]): string[] {
  const lookup = lookupIn(environment);
  return (container.args ?? []).map((element) => expand(element, lookup));
}
