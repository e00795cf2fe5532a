import { abortable } from '@nodeagent/api';
import type { RuntimeManagerOptions } from './options.js';

type Port<Args extends unknown[], Result> = (...args: Args) => Promise<Result>;

/** The options that the runtime manager awaits, except the runtime. */
export type RuntimePorts = Pick<
  RuntimeManagerOptions,
  | 'environment'
  | 'images'
  | 'runtimeHandler'
  | 'deviceOptions'
  | 'prepareDynamicResources'
  | 'prepareSubPath'
  | 'userNamespaces'
  | 'containerLifecycle'
>;

/** The ports of the options; their calls reject when `signal` aborts, so that a port that hangs does not keep the agent from stopping. */
export function abortablePorts(options: RuntimeManagerOptions): RuntimePorts {
  const { signal, runtimeHandler, deviceOptions, prepareDynamicResources, prepareSubPath, userNamespaces, containerLifecycle } = options;
  if (signal === undefined) return options;
  const until =
    <Args extends unknown[], Result>(owner: object, port: Port<Args, Result>): Port<Args, Result> =>
    async (...args) => {
      signal.throwIfAborted();
      return abortable((async () => port.apply(owner, args))(), signal);
    };
  const { preCreate, preStart, postStop } = containerLifecycle ?? {};
  return {
    environment: until(options, options.environment),
    images: { ensureImageExists: until(options.images, options.images.ensureImageExists) },
    ...(runtimeHandler && { runtimeHandler: until(options, runtimeHandler) }),
    ...(deviceOptions && { deviceOptions: until(options, deviceOptions) }),
    ...(prepareDynamicResources && { prepareDynamicResources: until(options, prepareDynamicResources) }),
    ...(prepareSubPath && { prepareSubPath: until(options, prepareSubPath) }),
    ...(userNamespaces && { userNamespaces: { mappings: until(userNamespaces, userNamespaces.mappings) } }),
    ...(containerLifecycle && {
      containerLifecycle: {
        ...(preCreate && { preCreate: until(containerLifecycle, preCreate) }),
        ...(preStart && { preStart: until(containerLifecycle, preStart) }),
        ...(postStop && { postStop: until(containerLifecycle, postStop) }),
      },
    }),
  };
}
