import type { AllocatedDevice, AllocationResult, Node, NodeSelector, NodeSelectorRequirement, ResourceClaim } from '@nodeagent/api';
import type { ChosenDevice, ChosenDevices } from './allocation-search.js';
import type { RequestOption } from './claim-requests.js';

type Configuration = NonNullable<NonNullable<AllocationResult['devices']>['config']>;

const fullName = ({ names }: RequestOption) => names.at(-1) ?? '';

/** The allocation of a claim, as the scheduler writes it into its status. */
export function allocationResult({ claim, devices, options }: ChosenDevices, node: Node, newShareID: () => string): AllocationResult {
  const results = devices.map((chosen) => allocatedDevice(chosen, newShareID));
  const config = [...classConfiguration(options), ...claimConfiguration(claim, options)];
  const nodeSelector = selectorOf(devices, node.metadata?.name ?? '');
  return { devices: { results, ...(config.length > 0 && { config }) }, ...(nodeSelector && { nodeSelector }) };
}

function allocatedDevice({ device, slice, option, consumed }: ChosenDevice, newShareID: () => string): AllocatedDevice {
  const { adminAccess, tolerations = [] } = option.request;
  const { bindingConditions, bindingFailureConditions } = device;
  return {
    request: fullName(option),
    driver: slice.spec?.driver ?? '',
    pool: slice.spec?.pool?.name ?? '',
    device: device.name,
    ...(adminAccess && { adminAccess }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(bindingConditions && { bindingConditions }),
    ...(bindingFailureConditions && { bindingFailureConditions }),
    ...(consumed && { shareID: newShareID() }),
    ...(consumed?.size && { consumedCapacity: Object.fromEntries(Array.from(consumed, ([name, amount]) => [name, amount.toString()])) }),
  };
}

/** The configuration of each class once, for all its requests. */
function classConfiguration(options: readonly RequestOption[]): Configuration {
  const requests = new Map<RequestOption['deviceClass'], string[]>();
  for (const option of options) requests.set(option.deviceClass, [...(requests.get(option.deviceClass) ?? []), fullName(option)]);
  return [...requests].flatMap(([{ spec }, names]) =>
    (spec?.config ?? []).map((config) => ({ source: 'FromClass', requests: names, ...config })),
  );
}

/** The claim's configuration for the requests and alternatives that were chosen. */
function claimConfiguration({ spec }: ResourceClaim, options: readonly RequestOption[]): Configuration {
  return (spec?.devices?.config ?? []).flatMap((config) => {
    const entry = { source: 'FromClaim', ...config };
    if (!config.requests?.length) return [entry];
    return options.flatMap(({ names }) => (names.some((name) => config.requests?.includes(name)) ? [entry] : []));
  });
}

/** The nodes that reach all devices; undefined: all nodes. */
function selectorOf(devices: readonly ChosenDevice[], nodeName: string): NodeSelector | undefined {
  const fields: NodeSelectorRequirement[] = [];
  const expressions: NodeSelectorRequirement[] = [];
  for (const { device, slice } of devices) {
    const { nodeName: local, nodeSelector } = (slice.spec?.perDeviceNodeSelection ? device : slice.spec) ?? {};
    if (local !== undefined || device.bindsToNode) {
      return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] };
    }
    const [term = {}] = nodeSelector?.nodeSelectorTerms ?? [];
    addMissing(fields, term.matchFields);
    addMissing(expressions, term.matchExpressions);
  }
  if (fields.length + expressions.length === 0) return undefined;
  const term = { ...(fields.length > 0 && { matchFields: fields }), ...(expressions.length > 0 && { matchExpressions: expressions }) };
  return { nodeSelectorTerms: [term] };
}

function addMissing(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[] = []): void {
  const key = ({ key: label, operator, values = [] }: NodeSelectorRequirement) => JSON.stringify([label, operator, [...values].sort()]);
  const known = new Set(to.map(key));
  to.push(...from.filter((each) => !known.has(key(each))));
}
