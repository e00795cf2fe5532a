import type { Node } from '@nodeagent/api';
import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Keeps pods off new nodes until the node lifecycle controller has seen their conditions. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    if (!isFor(request, 'create', '', 'nodes')) return;
    const node = objectOf(request) as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
  },
};
