import type { Pod } from '@nodeagent/api';
import type { RuntimeContext } from '../runtime-context.js';

/** The CRI handler of the pod's runtime class; empty for the default one. */
export async function runtimeHandlerOf({ ports }: Pick<RuntimeContext, 'ports'>, pod: Pod): Promise<string> {
  const name = pod.spec?.runtimeClassName;
  if (!name) return '';
  if (ports.runtimeHandler === undefined) throw new Error(`failed to get RuntimeClass ${name}: no runtime classes are configured`);
  return ports.runtimeHandler(name);
}
