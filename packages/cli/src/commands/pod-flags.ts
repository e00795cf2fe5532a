import type { PodView } from '@nodeagent/core';
import { badUsage, type Flag, type FlagValues, text } from '../flags.js';
import type { PodsAnswer } from '../local-api/answers.js';
import { findPod } from '../local-api/find-pod.js';

/** The help of a word that names a pod. */
export const podHelp = "POD is a pod's name, with or without the node's name at its end, or the beginning of it.";

/** The flag by which a command asks for the pods of one namespace, as in kubectl. */
export const namespaceFlag: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAMESPACE',
  defaultText: 'all namespaces',
  help: 'only pods of this namespace.',
};

/** For who is used to kubectl, where one namespace is the default. */
export const allNamespacesFlag: Flag = {
  name: 'all-namespaces',
  short: 'A',
  defaultText: 'on without --namespace',
  help: 'pods of all namespaces; wins over --namespace.',
};

/** The answer with the pods of the namespace that the flags name. */
export function ofNamespace(answer: PodsAnswer, values: FlagValues): PodsAnswer {
  const namespace = optionalText(values, 'namespace');
  if (namespace === undefined || values['all-namespaces'] === true) return answer;
  return { ...answer, pods: answer.pods.filter(({ pod }) => pod.metadata?.namespace === namespace) };
}

/** The pod of an answer that is meant. */
export function namedPod(answer: PodsAnswer, wanted: string): PodView {
  const names = answer.pods.map(({ pod: { metadata } }) => ({ namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }));
  const { namespace, name } = findPod(wanted, names, answer.node);
  const view = answer.pods.find(({ pod: { metadata } }) => metadata?.namespace === namespace && metadata.name === name);
  if (view === undefined) throw new Error(`the pod ${namespace}/${name} was found among others`);
  return view;
}

/** The flag's value if it was given. */
export const optionalText = (values: FlagValues, name: string): string | undefined =>
  values[name] === undefined ? undefined : text(values, name);

/** The flag's value, a whole number that is not negative, if it was given. */
export function optionalCount(values: FlagValues, name: string): number | undefined {
  const value = optionalText(values, name);
  if (value !== undefined && !/^\d{1,15}$/.test(value)) throw badUsage(`--${name}: "${value}" is not a number of lines`);
  return value === undefined ? undefined : Number(value);
}
