import { badUsage, type Flag, type FlagValues, list } from '../flags.js';

/** Further OCI runtimes by the handlers of RuntimeClasses. */
export const handlerFlag: Flag = {
  name: 'handler',
  value: 'NAME=PATH[,...]',
  defaultText: 'none',
  help: 'further OCI runtimes, with the runtime "oci", for pods whose RuntimeClass has the handler NAME.',
};

export type Handlers = Record<string, { path: string }>;

/** The handlers of `NAME=PATH`. Throws `BAD_USAGE`. */
export function readHandlers(values: FlagValues): Handlers {
  const handlers: Handlers = {};
  for (const pair of list(values, 'handler')) {
    const [, name = '', path = ''] = /^([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)=(.+)$/.exec(pair) ?? [];
    if (path === '') throw badUsage(`--handler: "${pair}" is not NAME=PATH, with the name of a DNS label`);
    if (Object.hasOwn(handlers, name)) throw badUsage(`--handler: "${name}" is there twice`);
    handlers[name] = { path };
  }
  return handlers;
}
