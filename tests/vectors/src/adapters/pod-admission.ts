import { createPredicateAdmitHandler } from '@nodeagent/pod-admission';
import { preemptionVictims } from '@nodeagent/pod-admission/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

async function admission({ pod, node, otherPods }: Recorded) {
  const handler = createPredicateAdmitHandler({ node: () => node });
  return { reason: '', message: '', ...(await handler.admit({ pod, otherPods })) };
}

function victims({ preemptor, pods, requirements }: Recorded) {
  const missing = requirements.map(({ resource, quantity }: Recorded) => ({
    resource,
    quantity: resource === 'cpu' ? `${quantity}m` : `${quantity}`,
  }));
  try {
    return { victims: preemptionVictims(preemptor, pods, missing).map((pod) => pod.metadata?.uid) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export const podAdmissionAdapters: Adapter[] = [
  defineAdapter('admission-predicates', admission),
  defineAdapter('preemption-victims', victims),
];
