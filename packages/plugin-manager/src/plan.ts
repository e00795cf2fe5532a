/** What is to be done about plugins, by the paths of their sockets. */
export interface PluginPlan {
  /** Gone, or made anew: forgotten before it is registered again. */
  unregister: string[];
  register: string[];
}

/** Compares the sockets that are there with the registered ones; both have the socket's identity by its path. */
export function planPlugins(desired: ReadonlyMap<string, string>, registered: ReadonlyMap<string, string>): PluginPlan {
  const isCurrent = (path: string, id: string) => desired.get(path) === id;
  return {
    unregister: [...registered].filter(([path, id]) => !isCurrent(path, id)).map(([path]) => path),
    register: [...desired.keys()].filter((path) => !registered.has(path)),
  };
}
