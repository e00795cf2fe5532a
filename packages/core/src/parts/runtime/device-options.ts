import type { ContainerDeviceOptions, RuntimeManagerOptions } from '@nodeagent/runtime-manager';

type DeviceOptions = NonNullable<RuntimeManagerOptions['deviceOptions']>;

/** Asks each port, one after another, and merges their results with {@link mergeDeviceOptions}. Undefined without ports. */
export function combineDeviceOptions(ports: readonly (DeviceOptions | undefined)[]): DeviceOptions | undefined {
  const [first, ...others] = ports.filter((port) => port !== undefined);
  if (first === undefined || others.length === 0) return first;
  return async (pod, container, signal) => {
    let merged = await first(pod, container, signal);
    for (const port of others) merged = mergeDeviceOptions(merged, await port(pod, container, signal));
    return merged;
  };
}

/** What two sources of devices add to a container. The first wins for a variable, annotation, device or mount that both have. */
export function mergeDeviceOptions(first: ContainerDeviceOptions, second: ContainerDeviceOptions): ContainerDeviceOptions {
  return {
    devices: uniqueBy(({ containerPath }) => containerPath, first.devices, second.devices),
    cdiDevices: uniqueBy(({ name }) => name, first.cdiDevices, second.cdiDevices),
    mounts: uniqueBy(({ containerPath }) => containerPath, first.mounts, second.mounts),
    environment: { ...second.environment, ...first.environment },
    annotations: { ...second.annotations, ...first.annotations },
  };
}

/** The elements of both lists in order; of those with the same key the first. */
function uniqueBy<T>(keyOf: (element: T) => string | undefined, first: readonly T[] = [], second: readonly T[] = []): T[] {
  const keys = new Set<string | undefined>();
  return [...first, ...second].filter((element) => !keys.has(keyOf(element)) && keys.add(keyOf(element)));
}
