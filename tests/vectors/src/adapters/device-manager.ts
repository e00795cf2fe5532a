import { errorMessage } from '@nodeagent/api';
import {
  chooseDevices,
  deviceCapacity,
  deviceHints,
  disconnectDevices,
  hasTopologyAlignment,
  type PluginDevice,
  receiveDevices,
} from '@nodeagent/device-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface RecordedDevice {
  id: string;
  health: string;
  numa: number[] | null;
}

const devicesOf = (devices: RecordedDevice[]) =>
  receiveDevices(devices.map(({ id, health, numa }): PluginDevice => ({ id, health, numaNodes: numa })));
const nodesOf = (count: number) => Array.from({ length: count }, (_, id) => id);
const sorted = (ids: readonly string[]) => [...ids].sort();
const noIds: string[] = [];

export const deviceManagerAdapters: Adapter[] = [
  defineAdapter('device-hints', ({ devices: list, available, reusable, request, numaNodes }) => {
    const devices = devicesOf(list);
    const isAligned = hasTopologyAlignment(devices);
    const hints = isAligned ? deviceHints({ devices, available, reusable, request, numaNodes: nodesOf(numaNodes) }) : [];
    return { hasTopologyAlignment: isAligned, hints: hints.map(({ numaNodes, preferred }) => ({ numa: numaNodes, preferred })) };
  }),
  defineAdapter('device-allocate', async (input) => {
    const reusable = new Set<string>(input.reusable);
    try {
      const { ids, groups } = await chooseDevices({
        podUID: 'pod',
        containerName: 'c',
        resource: 'v/d',
        required: input.required,
        devices: input.registered ? devicesOf(input.devices) : undefined,
        held: input.alreadyHeld.length > 0 ? new Set(input.alreadyHeld) : undefined,
        inUse: new Set(input.inUse),
        reusable,
        hintNodes: input.hintNUMA,
      });
      const { aligned = noIds, unaligned = noIds, noTopology = noIds } = groups ?? {};
      const taken = (from: readonly string[]) => ids.filter((id) => from.includes(id)).length;
      return {
        count: ids.length,
        groups: { aligned: sorted(aligned), unaligned: sorted(unaligned), noTopology: sorted(noTopology) },
        taken: {
          fromAligned: taken(aligned),
          fromUnaligned: taken(unaligned),
          fromNoTopology: taken(noTopology),
          fromReusable: taken([...reusable]),
        },
      };
    } catch (error) {
      return { error: errorMessage(error) };
    }
  }),
  defineAdapter('device-capacity', ({ resources }) =>
    deviceCapacity(
      // biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
      resources.map(({ resource, devices, disconnectedSecondsAgo, endpoint }: any) => {
        if (!endpoint) return { resource, devices: devicesOf(devices), disconnectedForMs: Number.POSITIVE_INFINITY };
        if (disconnectedSecondsAgo === null) return { resource, devices: devicesOf(devices) };
        return { resource, devices: disconnectDevices(devicesOf(devices)), disconnectedForMs: disconnectedSecondsAgo * 1000 };
      }),
    ),
  ),
];
