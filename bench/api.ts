import type { Pod } from '@nodeagent/api';
import { CpuSet, computeQosClass, expand, matchesNodeAffinity, parseImageName, podRequests, Quantity } from '@nodeagent/api/helpers';

/** Calls `work` for about half a second after a warm-up; calls a second. */
function rate(work: (round: number) => unknown): number {
  for (let round = 0; round < 20_000; round++) work(round);
  const batch = 1000;
  const begin = performance.now();
  let rounds = 0;
  while (performance.now() - begin < 500) {
    for (let each = 0; each < batch; each++) work(rounds + each);
    rounds += batch;
  }
  return rounds / ((performance.now() - begin) / 1000);
}

const million = (perSecond: number) => `${(perSecond / 1e6).toFixed(2)} M/s`;
const thousand = (perSecond: number) => `${(perSecond / 1e3).toFixed(0)} k/s`;

const texts = ['100m', '1', '2Gi', '512Mi', '250m', '1500m', '64Mi', '0.5'];

const pod: Pod = {
  metadata: { name: 'web', namespace: 'prod', uid: 'u1' },
  spec: {
    containers: Array.from({ length: 10 }, (_, index) => ({
      name: `c${index}`,
      resources: { requests: { cpu: '100m', memory: `${index + 1}Mi` }, limits: { cpu: '1', memory: '1Gi' } },
    })),
    nodeSelector: { zone: 'a' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b', 'a'] }] }],
        },
      },
    },
  },
};

/** Speed of the helpers that run for each pod or container. */
export async function benchApi(report: (line: string) => void): Promise<void> {
  const quantities = texts.map((text) => Quantity.parse(text));
  const quantity = (round: number) => quantities[round & 7] ?? Quantity.zero;
  report(`Quantity.parse             ${million(rate((round) => Quantity.parse(texts[round & 7] ?? '0')))}`);
  report(`Quantity.add               ${million(rate((round) => quantity(round).add(quantity(round + 1))))}`);
  report(`Quantity.toString          ${million(rate((round) => quantity(round).canonical()))}`);
  report(`podRequests, 10 containers ${thousand(rate(() => podRequests(pod)))}`);
  report(`computeQosClass            ${thousand(rate(() => computeQosClass(pod)))}`);
  const node = { metadata: { name: 'n1', labels: { zone: 'a' } } };
  report(`matchesNodeAffinity        ${million(rate(() => matchesNodeAffinity(pod, node)))}`);
  report(`expand                     ${million(rate(() => expand('http://$(HOST):$(PORT)/', (name) => name)))}`);
  report(`parseImageName             ${million(rate(() => parseImageName('registry.example.com:5000/team/app:1.2.3')))}`);
  const [even, low] = [CpuSet.of(Array.from({ length: 64 }, (_, index) => 2 * index)), CpuSet.parse('0-63')];
  report(`CpuSet.difference, 64 CPUs ${million(rate(() => even.difference(low)))}`);
}
