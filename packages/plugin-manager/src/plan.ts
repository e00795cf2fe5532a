/** The plugins to register and unregister, by the paths of their sockets. */
export interface PluginPlan {
  /** Removed, or re-created: unregistered before it is registered again. */
  unregister: string[];
  register: string[];
}

/** Compares the existing sockets with the registered ones; both map a path to the socket's identity. */
export function planPlugins(desired: ReadonlyMap<string, string>, registered: ReadonlyMap<string, string>): PluginPlan {
  const isCurrent = (path: string, id: string) => desired.get(path) === id;
  return {
    unregister: [...registered].filter(([path, id]) => !isCurrent(path, id)).map(([path]) => path),
    register: [...desired.keys()].filter((path) => !registered.has(path)),
  };
}
