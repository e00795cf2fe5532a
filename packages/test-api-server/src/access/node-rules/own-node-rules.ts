import type { Node } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import { type NodeRule, valueAt } from './node-rule.js';

/** Labels of Kubernetes that a node may set on itself; those of the namespaces `kubelet` and `node` too. */
const allowedLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const ofKubernetes = /^([^/]+\.)?(kubernetes|k8s)\.io\//;
const ofNodes = /^([^/]+\.)?(kubelet|node)\.kubernetes\.io\//;

export const ownNodeOnly: NodeRule = ({ name }, node) =>
  name === node ? undefined : `node "${node}" is not allowed to modify node "${name}"`;

/** Refuses labels that could attract workloads, such as those of `node-restriction.kubernetes.io`; `why` is the start of the message. */
export const allowedLabelsOnly =
  (why: (node: string) => string): NodeRule =>
  ({ object, before }, node) => {
    const [now, was] = [labelsOf(object), labelsOf(before)];
    const changed = Object.keys({ ...now, ...was }).filter((key) => now[key] !== was[key]);
    const refused = changed.filter((key) => ofKubernetes.test(key) && !ofNodes.test(key) && !allowedLabels.has(key));
    return refused.length === 0 ? undefined : `${why(node)}: ${refused.sort().join(', ')}`;
  };

const labelsOf = (object: object | undefined) => (object as Node | undefined)?.metadata?.labels ?? {};

export const noConfigSource: NodeRule = ({ object }, node) =>
  valueAt(object, 'spec.configSource') === undefined
    ? undefined
    : `node "${node}" is not allowed to create pods with a non-nil configSource`;

/** A node may remove the source of its configuration. */
export const noNewConfigSource: NodeRule = ({ object, before }, node) => {
  const [now, was] = [object, before].map((each) => valueAt(each, 'spec.configSource'));
  const isNew = now !== undefined && !equalJson(now, was);
  return isNew ? `node "${node}" is not allowed to update configSource to a new non-nil configSource` : undefined;
};
