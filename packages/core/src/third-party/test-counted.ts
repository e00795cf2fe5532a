/** How often each method of each part was called, by the part's name. */
export type Calls = Map<string, Map<string, number>>;

/** The part, each call of whose methods is counted. A member that is read counts too, where it is no method. */
export function counted<T extends object>(calls: Calls, name: string, part: T): T {
  const methods = new Map<string, number>();
  calls.set(name, methods);
  const count = (method: string) => methods.set(method, (methods.get(method) ?? 0) + 1);
  return new Proxy(part, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== 'function') {
        if (value !== undefined && typeof key === 'string') count(key);
        return value;
      }
      return (...args: unknown[]) => {
        count(String(key));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
