import { beginCycle, type Cycle, findMisfit, type Rejection } from './framework/cycle.js';
import { findFeasibleNodes } from './framework/feasible-nodes.js';
import { fitMessage, reasonsOf } from './framework/fit-message.js';
import type { NodeInfo } from './framework/node-info.js';
import type { ObjectWrite, Reservation, SchedulerPlugin } from './framework/plugin.js';
import type { PodInfo } from './framework/pod-info.js';
import { type Preemption, preempt } from './framework/preempt.js';
import { chooseNode, scoreNodes } from './framework/score-nodes.js';
import type { Snapshot } from './framework/snapshot.js';

/** What the scheduler does with one pod. */
export type PodDecision =
  | { pod: PodInfo; node: NodeInfo; reservation: Reservation }
  | {
      pod: PodInfo;
      node?: undefined;
      /** Of the event `FailedScheduling` and of the condition `PodScheduled`. */
      message: string;
      /** The plugins that rejected nodes: their changes may help. */
      rejectedBy: ReadonlySet<string>;
      preemption?: Preemption;
      /** Whether a previous nomination ends. */
      clearsNomination: boolean;
      writes: ObjectWrite[];
    };

/** Finds a node for one pod, and what has to be done before it is bound, or why there is none and which pods to preempt. */
export function schedulePod(pod: PodInfo, snapshot: Snapshot, plugins: readonly SchedulerPlugin[]): PodDecision {
  if (snapshot.nodes.length === 0) return { ...unschedulable(pod, 'no nodes available to schedule pods'), clearsNomination: true };
  const cycle = beginCycle(pod, snapshot, plugins);
  const { feasible, rejections } = findFeasibleNodes(cycle);
  const node = feasible.length > 1 ? chooseNode(feasible, scoreNodes(pod, snapshot, feasible, plugins)) : feasible[0];
  return node ? { pod, node, reservation: reserveAll(cycle, node) } : rejectPod(cycle, rejections);
}

/** The same for a pod whose binding waited for other objects; undefined if it no longer fits its node. */
export function reserveAgain(
  pod: PodInfo,
  nodeName: string,
  snapshot: Snapshot,
  plugins: readonly SchedulerPlugin[],
): PodDecision | undefined {
  const node = snapshot.nodes.find(({ name }) => name === nodeName);
  const cycle = beginCycle(pod, snapshot, plugins);
  const fits = node && !cycle.rejection && (cycle.nodeNames?.has(nodeName) ?? true) && !findMisfit(cycle, node);
  return fits ? { pod, node, reservation: reserveAll(cycle, node) } : undefined;
}

function unschedulable(pod: PodInfo, message: string, rejectedBy: Iterable<string> = []) {
  return { pod, message, rejectedBy: new Set(rejectedBy), clearsNomination: false, writes: [] };
}

/** The consequences of the chosen node for other objects. */
function reserveAll({ filters }: Cycle, node: NodeInfo): Reservation {
  const reservation: Reservation = { writes: [] };
  for (const { plugin, state } of filters) {
    const { writes = [], isWaiting } = plugin.reserve?.(state, node) ?? {};
    reservation.writes.push(...writes);
    if (isWaiting) reservation.isWaiting = true;
  }
  return reservation;
}

function rejectPod(cycle: Cycle, rejections: ReadonlyMap<NodeInfo, Rejection>): PodDecision {
  const { pod, snapshot, rejection, choosers } = cycle;
  const reasons = fitMessage(snapshot.nodes.length, reasonsOf(cycle, rejections.values()));
  const rejectedBy = [...choosers, ...(rejection ? [rejection.plugin] : []), ...Array.from(rejections.values(), ({ plugin }) => plugin)];
  const writes: ObjectWrite[] = [];
  const texts: string[] = [];
  for (const { plugin, state } of cycle.filters) {
    const result = plugin.postFilter?.(state);
    if (!result) continue;
    texts.push(result.text);
    writes.push(...(result.writes ?? []));
  }
  if (texts.length === 0) texts.push('no new claims to deallocate');
  const found = preempt(cycle, rejections);
  if ('victims' in found) return { ...unschedulable(pod, reasons, rejectedBy), writes, preemption: found };
  const message = `${reasons} ${[...texts, `preemption: ${found.text}`].join(', ')}`;
  return { ...unschedulable(pod, message, rejectedBy), writes, clearsNomination: found.clears };
}
