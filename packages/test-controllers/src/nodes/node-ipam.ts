import { invalidOption, type Node } from '@nodeagent/api';
import { canonicalIP, isIPv4, isIPv6 } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';

/** Ranges of the addresses of pods. */
export interface NodeIpamSettings {
  /** `--cluster-cidr`: one range, or one of each family. */
  clusterCIDRs: readonly string[];
  /** `--node-cidr-mask-size` of each range. Default 24 for IPv4, 64 for IPv6. */
  nodeMaskSizes?: readonly number[];
}

/** A range of the cluster, divided into ranges of nodes. */
export interface DividedRange {
  size: number;
  /** The n-th range of a node. */
  range(index: number): string;
}

/** Divides a CIDR into ranges of nodes. Throws `InvalidOption`. */
export function dividedRange(cidr: string, nodeMaskSize?: number): DividedRange {
  const [address = '', prefix = ''] = cidr.split('/');
  const isV4 = isIPv4(address);
  const [bits, maskSize] = isV4 ? [32, nodeMaskSize ?? 24] : [128, nodeMaskSize ?? 64];
  const mask = /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
  const isValid = (isV4 || isIPv6(address)) && mask <= maskSize && maskSize <= bits && maskSize - mask <= 16;
  if (!isValid) throw invalidOption('nodeIpam', `CIDRs with ranges of nodes that are at most 16 bits smaller`, cidr);
  const step = 1n << BigInt(bits - maskSize);
  const size = 2 ** (maskSize - mask);
  const given = isV4 ? groupsOf(address.split('.').map(Number), 8n) : groupsOf(wordsOf(address), 16n);
  const first = given - (given % (step * BigInt(size)));
  return { size, range: (index) => `${textOf(first + step * BigInt(index), isV4)}/${maskSize}` };
}

const groupsOf = (groups: readonly number[], bits: bigint): bigint => groups.reduce((sum, group) => (sum << bits) + BigInt(group), 0n);

/** The eight groups of an IPv6 address. */
function wordsOf(address: string): number[] {
  const [head = [], tail] = address.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  );
  return tail ? [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail] : head;
}

function textOf(address: bigint, isV4: boolean): string {
  if (isV4) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.');
  const words = Array.from({ length: 8 }, (_, i) => ((address >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return canonicalIP(words.join(':')) ?? words.join(':');
}

const nodes = '/nodes';
const rangesOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? [];

/** Assigns each node a range of the addresses of pods: `podCIDR` and `podCIDRs`. */
export class NodeIpam implements Controller {
  readonly #objects: ControllerObjects;
  readonly #events: EventWriter;
  readonly #ranges: { divided: DividedRange; next: number }[];
  readonly #used = new Set<string>();
  /** Nodes for which no range was left. */
  readonly #waiting = new Map<string, Place>();

  constructor(
    { objects, events }: { objects: ControllerObjects; events: EventWriter },
    { clusterCIDRs, nodeMaskSizes = [] }: NodeIpamSettings,
  ) {
    this.#objects = objects;
    this.#events = events;
    this.#ranges = clusterCIDRs.map((cidr, i) => ({ divided: dividedRange(cidr, nodeMaskSizes[i]), next: 0 }));
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage !== nodes) return [];
    const place = placeOf(nodes, object);
    const own = rangesOf(object as Node);
    if (type !== 'DELETED') {
      for (const range of own) this.#used.add(range);
      return own.length > 0 || this.#waiting.has(place.name) ? [] : [place];
    }
    for (const range of own) this.#used.delete(range);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    return waiting;
  }

  reconcile(place: Place): void {
    const node = this.#objects.get(nodes, undefined, place.name) as (Node & StoredObject) | undefined;
    if (node === undefined || rangesOf(node).length > 0) return;
    const found = this.#ranges.map(({ divided, next }) => {
      for (let i = 0; i < divided.size; i++) {
        const index = (next + i) % divided.size;
        const range = divided.range(index);
        if (!this.#used.has(range)) return { index, range };
      }
      return undefined;
    });
    if (found.includes(undefined)) {
      this.#waiting.set(place.name, place);
      const message = `Node ${place.name} status is now: CIDRNotAvailable`;
      this.#events.write(node, { component: 'cidrAllocator', type: 'Normal', reason: 'CIDRNotAvailable', message }, controllerManager);
      return;
    }
    const podCIDRs = found.flatMap((each) => each?.range ?? []);
    for (const [i, each] of this.#ranges.entries()) each.next = ((found[i]?.index ?? 0) + 1) % each.divided.size;
    this.#objects.overwrite(nodes, node, { ...node, spec: { ...node.spec, podCIDR: podCIDRs[0], podCIDRs } }, controllerManager);
  }
}
