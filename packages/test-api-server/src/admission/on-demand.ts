import type { ApiContext } from '../context.js';
import { loadModule } from '../requests/module-loads.js';

/**
 * A module that is loaded when it is first needed: requests wait for it, callers that cannot wait get undefined until it is loaded.
 */
export function onDemand<T>(name: string, load: () => Promise<T>): (context: ApiContext) => T | undefined {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  const start = () => {
    loading ??= loadModule(load).then((module) => {
      loaded = module;
      return module;
    });
    return loading;
  };
  return ({ answers }) => {
    if (loaded !== undefined) return loaded;
    if (answers.canWait) return answers.of(`module ${name}`, start);
    void start();
    return undefined;
  };
}
