import { maxNodes, maxSeed, type PlaygroundState } from '../state.js';
import { h } from './dom.js';

/** From this number of nodes on, heartbeats and resyncs are less frequent by default. */
const manyNodes = 20;

export type ClusterSettings = Pick<PlaygroundState, 'nodes' | 'seed' | 'periods'>;

/** Number of nodes, seed and periods of a new cluster. */
export function createClusterSettings(onStart: (settings: ClusterSettings) => void) {
  const nodes = h('input', { type: 'number', min: 1, max: maxNodes, id: 'pg-nodes', required: true });
  const seed = h('input', { type: 'number', min: 0, max: maxSeed, id: 'pg-seed', required: true });
  const long = h('input', { type: 'checkbox', id: 'pg-long' });
  nodes.addEventListener('change', () => {
    long.checked = nodes.valueAsNumber >= manyNodes;
  });
  const submit = (event: Event) => {
    event.preventDefault();
    onStart({ nodes: nodes.valueAsNumber, seed: seed.valueAsNumber, periods: long.checked ? 'long' : 'kubelet' });
  };
  const element = h(
    'form',
    { class: 'pg-settings', onsubmit: submit },
    h('label', { for: 'pg-nodes' }, 'Nodes'),
    nodes,
    h('label', { for: 'pg-seed' }, 'Seed'),
    seed,
    h(
      'label',
      {
        for: 'pg-long',
        title:
          'Heartbeats and resyncs ten to sixty times less often: for many nodes and long times. A lost node is noticed after 50 minutes.',
      },
      long,
      ' rare heartbeats',
    ),
    h('button', { type: 'submit' }, 'New cluster'),
  );
  return {
    element,
    show(settings: ClusterSettings): void {
      nodes.value = String(settings.nodes);
      seed.value = String(settings.seed);
      long.checked = settings.periods === 'long';
    },
  };
}
