import type { UsageAnswer } from '../../local-api/answers.js';
import { screenTitle } from '../pods-screen.js';
import type { TableLayout } from '../table.js';
import { pressureLines, usageCells } from '../usage-screen.js';
import { type ListModel, type ListRow, sortByName, sortByNumber } from './list-model.js';

const layout: TableLayout<string> = {
  headings: { name: 'POD', cpu: 'CPU', memory: 'MEMORY', disk: 'DISK' },
  name: 'name',
  dispensable: ['disk', 'cpu'],
  numbers: ['cpu', 'memory', 'disk'],
};

/** The usage of the pods, the largest consumer of memory first, below the node's and the eviction thresholds. */
export function usageList(answer: UsageAnswer): ListModel {
  const { podUsage, nodeUsage, eviction } = answer;
  const [cpu, memory, disk] = usageCells(nodeUsage);
  return {
    kind: { layout, sorts: [sortByNumber('memory'), sortByNumber('cpu'), sortByNumber('disk'), sortByName] },
    title: `${screenTitle(answer)} · CPU ${cpu}, memory ${memory}, disk ${disk}`,
    header: eviction === undefined ? ['no pod is evicted for lack of resources'] : pressureLines(eviction),
    rows: podUsage.map((usage) => usageRow(usage, eviction)),
    notes: [],
  };
}

function usageRow(usage: UsageAnswer['podUsage'][number], eviction: UsageAnswer['eviction']): ListRow {
  const { namespace, name, nanoCores, memoryBytes, diskBytes } = usage;
  const [cpu = '-', memory = '-', disk = '-'] = usageCells(usage);
  const numbers = Object.entries({ cpu: nanoCores, memory: memoryBytes, disk: diskBytes }).filter(([, value]) => value !== undefined);
  return {
    key: `${namespace}/${name}`,
    cells: { name: `${namespace}/${name}`, cpu, memory, disk },
    health: 'good',
    numbers: Object.fromEntries(numbers) as Record<string, number>,
    pod: { namespace, name },
    explain: () => (eviction === undefined ? '' : evictionText(eviction, namespace, name)),
  };
}

/** The pod's place in the eviction ranking. */
function evictionText({ signal, candidates }: NonNullable<UsageAnswer['eviction']>, namespace: string, name: string): string {
  const evictable = candidates.filter((each) => each.evictable);
  const place = evictable.findIndex((each) => each.namespace === namespace && each.name === name);
  const found = evictable[place];
  return found === undefined ? '' : `Number ${place + 1} of ${evictable.length} in the eviction ranking of ${signal}: ${found.reason}.`;
}
