import type { PodView } from '@nodeagent/core/node';
import { badUsage, type Flag, type FlagValues, text } from '../flags.js';
import type { PodsAnswer } from '../local-api/answers.js';
import { findPod } from '../local-api/find-pod.js';

/** Help text for the POD argument. */
export const podHelp = "POD is a pod's name, with or without the node's name at its end, or a unique prefix.";

/** The flag that selects a namespace, as in kubectl. */
export const namespaceFlag: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAMESPACE',
  defaultText: 'all namespaces',
  help: 'only pods of this namespace.',
};

/** kubectl's flag, here the default. */
export const allNamespacesFlag: Flag = {
  name: 'all-namespaces',
  short: 'A',
  defaultText: 'on without --namespace',
  help: 'pods of all namespaces; overrides --namespace.',
};

/** The answer with the pods of the selected namespace; rejected manifests have none. */
export function ofNamespace(answer: PodsAnswer, values: FlagValues): PodsAnswer {
  const namespace = optionalText(values, 'namespace');
  if (namespace === undefined || values['all-namespaces'] === true) return answer;
  const { rejected: _, ...others } = answer;
  return { ...others, pods: answer.pods.filter(({ pod }) => pod.metadata?.namespace === namespace) };
}

/** The pod of an answer that the argument names. */
export function namedPod(answer: PodsAnswer, wanted: string): PodView {
  const names = answer.pods.map(({ pod: { metadata } }) => ({ namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }));
  const { namespace, name } = findPod(wanted, names, answer.node);
  const view = answer.pods.find(({ pod: { metadata } }) => metadata?.namespace === namespace && metadata.name === name);
  if (view === undefined) throw new Error(`the pod ${namespace}/${name} is missing in the agent's list`);
  return view;
}

/** The flag's value, if set. */
export const optionalText = (values: FlagValues, name: string): string | undefined =>
  values[name] === undefined ? undefined : text(values, name);

/** The flag's value, a whole number of 0 or more, if set. */
export function optionalCount(values: FlagValues, name: string): number | undefined {
  const value = optionalText(values, name);
  if (value !== undefined && !/^\d{1,15}$/.test(value)) throw badUsage(`--${name}: "${value}" is not a number of lines`);
  return value === undefined ? undefined : Number(value);
}
