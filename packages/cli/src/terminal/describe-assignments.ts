import type { AlignmentExplanation, ContainerAssignment, PodAssignments } from '@nodeagent/core/node';
import { type Field, field } from './fields.js';

/** The CPUs, memory and devices of the containers, and the decision of the topology manager with its hints. */
export function assignmentFields({ containers, topology }: PodAssignments): Field[] {
  return [
    ...(containers.length === 0 ? [] : [{ key: 'Assigned', fields: containers.map(assignmentField) }]),
    ...(topology === undefined ? [] : [{ key: 'Topology', fields: topology.alignments.map(alignmentField) }]),
  ];
}

function assignmentField({ containerName, cpus, memoryNumaNodes, devices = {} }: ContainerAssignment): Field {
  return {
    key: containerName,
    fields: [
      ...field('CPUs', cpus),
      ...field('Memory', memoryNumaNodes && nodesText(memoryNumaNodes)),
      ...Object.entries(devices).map(([resource, ids]) => ({ key: resource, value: ids.join(', ') })),
    ],
  };
}

function alignmentField({ containerName = 'all containers', hint, admit, chosen, reasons }: AlignmentExplanation): Field {
  const outcome = `${admit ? 'admitted' : 'refused'}, ${nodesText(hint.numaNodes)}${hint.preferred ? '' : ', not preferred'}`;
  return {
    key: containerName,
    fields: [
      { key: 'Decision', value: outcome },
      ...chosen.map((each) => ({ key: each.resource ?? each.provider, value: nodesText(each.hint.numaNodes) })),
      ...field('Because', reasons.join('; ')),
    ],
  };
}

const nodesText = (nodes: readonly number[] | null) =>
  nodes === null ? 'any NUMA node' : `NUMA ${nodes.length === 1 ? 'node' : 'nodes'} ${nodes.join(', ')}`;
