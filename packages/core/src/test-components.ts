import type { Components } from './components.js';

/** What a test gives of a component: the members that the part reads. */
type Given<T> = T extends (...args: never[]) => unknown ? T : { [K in keyof T]?: Given<T[K]> };

/** For tests of a single part: components of the given members. Reading another component throws an error that names it. */
export function testComponents(given: Given<Components>): Components {
  return new Proxy(given as Components, {
    get(target, name) {
      if (!(name in target)) throw new Error(`the test gives no component ${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}
