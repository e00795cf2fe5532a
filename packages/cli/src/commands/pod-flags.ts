import type { PodView } from '@nodeagent/core';
import { badUsage, type FlagValues, text } from '../flags.js';
import type { PodsAnswer } from '../local-api/answers.js';
import { askForPods } from '../local-api/ask-agent.js';
import { findPod } from '../local-api/find-pod.js';

/** The help of a word that names a pod. */
export const podHelp = "POD is a pod's name, with or without the node's name at its end, or the beginning of it.";

/** The pod that is meant, as the agent that uses the folder tells of it. */
export async function askForNamedPod(rootDir: string, wanted: string): Promise<{ answer: PodsAnswer; view: PodView }> {
  const answer = await askForPods(rootDir);
  return { answer, view: namedPod(answer, wanted) };
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
