import type { Container, Pod, TopologyHint, TopologyHintProvider } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { Mutation } from '../support/test-mutations.js';
import { mutate } from '../support/test-mutations.js';
import type { AssignedResource, TopologyHintProviderSubject } from './topology-hint-provider-suite.js';

const resource = 'example.com/slot';
const numaNodes = [0, 1] as const;
const slotsPerNode = 4;
const amounts = { one: 1, tooMuch: numaNodes.length * slotsPerNode + 1, none: 0 };

/** Slots of two NUMA nodes, a provider written from the contract alone. */
function createSlots(): { provider: TopologyHintProvider; slots: Map<string, string>; assigned: TopologyHintProviderSubject['assigned'] } {
  /** The owner of each slot by its name, such as `0-2`; empty if it is free, several with blanks between them for a defect. */
  const slots = new Map(numaNodes.flatMap((node) => Array.from({ length: slotsPerNode }, (_, slot) => [`${node}-${slot}`, ''])));
  const nodeOf = (slot: string) => Number(slot.split('-')[0]);
  const requestOf = ({ resources }: Container) => Number(resources?.limits?.[resource] ?? 0);
  const freeOn = (nodes: readonly number[]) => Array.from(slots).filter(([slot, owner]) => owner === '' && nodes.includes(nodeOf(slot)));
  const owned = (owner: string) => Array.from(slots.keys()).filter((slot) => slots.get(slot)?.split(' ').includes(owner));

  function hints(count: number): Record<string, TopologyHint[]> {
    if (count === 0) return {};
    const sets = [...numaNodes.map((node) => [node]), [...numaNodes]].filter((nodes) => freeOn(nodes).length >= count);
    const fewest = Math.min(...sets.map(({ length }) => length));
    return { [resource]: sets.map((nodes) => ({ numaNodes: nodes, preferred: nodes.length === fewest })) };
  }
  return {
    slots,
    provider: {
      getTopologyHints: (_, container) => hints(requestOf(container)),
      getPodTopologyHints: (pod) => hints((pod.spec?.containers ?? []).reduce((sum, each) => sum + requestOf(each), 0)),
      async allocate(pod, container, hint) {
        const owner = `${podUid(pod)}/${container.name}`;
        if (owned(owner).length > 0) return;
        const free = [...freeOn(hint.numaNodes ?? numaNodes), ...freeOn(numaNodes)].map(([slot]) => slot);
        const chosen = [...new Set(free)].slice(0, requestOf(container));
        if (chosen.length < requestOf(container)) throw new Error(`no ${requestOf(container)} free slots`);
        for (const slot of chosen) slots.set(slot, owner);
      },
    },
    assigned(podUID, containerName): AssignedResource | undefined {
      const units = owned(`${podUID}/${containerName}`);
      return units.length === 0 ? undefined : { units, numaNodes: [...new Set(units.map(nodeOf))].sort() };
    },
  };
}

function podOf(uid: string, requests: keyof typeof amounts): Pod {
  const limits = { [resource]: String(amounts[requests]) };
  const container = (name: string): Container => ({ name, image: 'i', ...(requests !== 'none' && { resources: { limits } }) });
  return { metadata: { name: uid, namespace: 'default', uid }, spec: { containers: [container('a'), container('b')] } };
}

/** The subject of slots, optionally with a defect. */
export function slotsSubject(mutation: (slots: Map<string, string>) => Mutation<TopologyHintProvider> = () => () => ({})) {
  const { provider, slots, assigned } = createSlots();
  const subject: TopologyHintProviderSubject = {
    provider: mutate(provider, mutation(slots)),
    numaNodes,
    resource,
    pod: podOf,
    assigned,
  };
  return { subject };
}
