import { matchesLabelSelector, parseTime } from '@nodeagent/api/helpers';
import type { DisruptionBudget } from '../../disruptions/disruption-budget.js';
import type { Cycle, Rejection } from './cycle.js';
import { findMisfit, shift } from './cycle.js';
import { fitMessage, tally } from './fit-message.js';
import { type NodeInfo, remember } from './node-info.js';
import type { PodInfo } from './pod-info.js';

/** Pods to end on a node so that another pod fits. */
export interface Preemption {
  node: NodeInfo;
  /** The most important first. */
  victims: PodInfo[];
  /** Victims that a PodDisruptionBudget would keep. */
  violations: number;
}

/** The node whose pods are preempted, or why there is none. `clears`: a previous nomination has no meaning any more. */
export type PreemptionResult = Preemption | { text: string; clears: boolean };

/**
 * Chooses the node where a pod fits after the fewest and least important pods end. Kubernetes documentation, "Pod Priority and Preemption".
 */
export function preempt(cycle: Cycle, rejections: ReadonlyMap<NodeInfo, Rejection>): PreemptionResult {
  const { pod, snapshot } = cycle;
  const ineligible = whyIneligible(cycle, rejections);
  if (ineligible) return { text: ineligible, clears: false };
  const isHelped = (node: NodeInfo) => (cycle.rejection ?? rejections.get(node))?.helpedByPreemption ?? false;
  const candidates: Preemption[] = [];
  const texts: string[] = [];
  for (const node of snapshot.nodes) {
    const found = isHelped(node) ? findVictims(cycle, node) : [notHelpful];
    if (Array.isArray(found)) texts.push(...found);
    else candidates.push(found);
    if (candidates.length >= Math.max(100, snapshot.nodes.length / 10)) break;
  }
  return (
    pickCandidate(candidates) ?? {
      text: fitMessage(snapshot.nodes.length, tally(texts)),
      clears: Boolean(pod.pod.status?.nominatedNodeName),
    }
  );
}

export const notHelpful = 'Preemption is not helpful for scheduling';
const noVictims = 'No preemption victims found for incoming pod';

/** A pod preempts once, and waits while its victims terminate. */
function whyIneligible({ pod, snapshot }: Cycle, rejections: ReadonlyMap<NodeInfo, Rejection>): string | undefined {
  const { spec, status } = pod.pod;
  if (spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const node = status?.nominatedNodeName && snapshot.nodes.find(({ name }) => name === status.nominatedNodeName);
  if (!node || rejections.get(node)?.helpedByPreemption === false) return undefined;
  const isWaiting = [...node.pods.values()].some((other) => other.priority < pod.priority && isPreempted(other));
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

const isPreempted = ({ pod, isTerminating }: PodInfo) =>
  isTerminating &&
  pod.status?.conditions?.some(
    ({ type, status, reason }) => type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  );

/** The victims on a node, or why preemption does not help there. As many pods as possible stay, first those that budgets keep. */
export function findVictims(cycle: Cycle, node: NodeInfo): Preemption | string[] {
  const { priority } = cycle.pod;
  const lowest = remember(node, 'lowest priority', () => Math.min(...Array.from(node.pods.values(), (other) => other.priority)));
  if (lowest >= priority) return [noVictims];
  const potential = [...node.pods.values()].filter((other) => other.priority < priority).sort(byImportance);
  for (const other of potential) shift(cycle, node, other, -1);
  const removed = new Set(potential);
  const misfit = findMisfit(cycle, node);
  let violations = 0;
  if (!misfit) {
    const { violating, others } = splitByBudgets(
      potential,
      cycle.snapshot.objects.list('policy/poddisruptionbudgets') as unknown as DisruptionBudget[],
    );
    for (const [index, other] of [...violating, ...others].entries()) {
      shift(cycle, node, other, 1);
      removed.delete(other);
      if (!findMisfit(cycle, node)) continue;
      shift(cycle, node, other, -1);
      removed.add(other);
      if (index < violating.length) violations++;
    }
  }
  for (const other of removed) shift(cycle, node, other, 1);
  return misfit ? misfit.reasons : { node, victims: potential.filter((other) => removed.has(other)), violations };
}

const startOf = ({ pod }: PodInfo) => parseTime(pod.status?.startTime) ?? Number.POSITIVE_INFINITY;

/** Higher priority first, then the pod that started first. */
function byImportance(a: PodInfo, b: PodInfo): number {
  const [first, second] = [startOf(a), startOf(b)];
  return b.priority - a.priority || (first === second ? (a.key < b.key ? -1 : 1) : first - second);
}

/** Which of the pods, in this order, would end against a budget that allows no more disruptions. */
function splitByBudgets(pods: readonly PodInfo[], budgets: readonly DisruptionBudget[]) {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const isViolating = ({ namespace, labels, pod }: PodInfo) => {
    let isViolated = false;
    for (const [index, { metadata, spec, status }] of budgets.entries()) {
      const { selector } = spec ?? {};
      const selects =
        metadata.namespace === namespace && selector && Object.keys(selector).length > 0 && matchesLabelSelector(selector, labels);
      if (!selects || status?.disruptedPods?.[pod.metadata?.name ?? ''] !== undefined) continue;
      const left = (allowed[index] as number) - 1;
      allowed[index] = left;
      if (left < 0) isViolated = true;
    }
    return isViolated;
  };
  const [violating, others]: [PodInfo[], PodInfo[]] = [[], []];
  for (const pod of pods) (Object.keys(pod.labels).length > 0 && isViolating(pod) ? violating : others).push(pod);
  return { violating, others };
}

/** A smaller number is better; of equal candidates the next criterion decides. */
const criteria: readonly ((candidate: Preemption) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => -Math.min(...victims.filter(({ priority }) => priority === victims[0]?.priority).map(startOf)),
];

function pickCandidate(candidates: readonly Preemption[]): Preemption | undefined {
  let best = [...candidates];
  for (const criterion of criteria) {
    if (best.length < 2) break;
    const smallest = Math.min(...best.map(criterion));
    best = best.filter((candidate) => criterion(candidate) === smallest);
  }
  return best[0];
}
