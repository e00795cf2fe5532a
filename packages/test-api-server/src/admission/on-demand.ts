import type { ApiContext } from '../context.js';

/** A module that is loaded when it is first needed; undefined as long as it is not loaded, for callers that cannot wait. */
export function onDemand<T>(name: string, load: () => Promise<T>): (context: ApiContext) => T | undefined {
  let loaded: T | undefined;
  return ({ answers }) => {
    if (loaded === undefined && answers.canWait) loaded = answers.of(`module ${name}`, load);
    return loaded;
  };
}
