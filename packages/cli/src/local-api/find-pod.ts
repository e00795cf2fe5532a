import { NodeAgentError } from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';

export interface PodName {
  namespace: string;
  name: string;
}

/**
 * The pod of `[NAMESPACE/]POD`: the one with that name, else with that name and the suffix of the node's name, as static pods have, else
 * the only one with that prefix.
 * @throws NodeAgentError `POD_NOT_FOUND` with the nearest name, `POD_AMBIGUOUS` with all matches
 */
export function findPod(wanted: string, pods: readonly PodName[], node: string): PodName {
  const slash = wanted.indexOf('/');
  const namespace = slash === -1 ? undefined : wanted.slice(0, slash);
  const name = wanted.slice(slash + 1);
  const known = [...new Map(pods.map((pod) => [fullName(pod), pod])).values()];
  const candidates = known.filter((pod) => namespace === undefined || pod.namespace === namespace);
  const rules: ((pod: PodName) => boolean)[] = [
    (pod) => pod.name === name,
    (pod) => pod.name === `${name}-${node}`,
    (pod) => pod.name.startsWith(name),
  ];
  for (const fits of rules) {
    const [found, ...others] = candidates.filter(fits);
    if (found === undefined) continue;
    if (others.length === 0) return found;
    const names = [found, ...others].map(fullName).join(', ');
    throw new NodeAgentError('POD_AMBIGUOUS', `"${wanted}" matches ${names}`, { hint: 'add the rest of the name, or the namespace' });
  }
  throw notFound(wanted, known, node);
}

function notFound(wanted: string, known: readonly PodName[], node: string): NodeAgentError {
  const spellings = new Map(
    known.flatMap((pod) => {
      const short = pod.name.endsWith(`-${node}`) ? pod.name.slice(0, -node.length - 1) : pod.name;
      return [pod.name, fullName(pod), short, `${pod.namespace}/${short}`].map((spelling) => [spelling, fullName(pod)] as const);
    }),
  );
  const near = nearestName(wanted, spellings.keys());
  const question = near === undefined ? '' : `; did you mean ${spellings.get(near)}?`;
  const hint = known.length === 0 ? 'the agent has no pods' : '"nodeagent pods" lists the pods';
  return new NodeAgentError('POD_NOT_FOUND', `no pod "${wanted}"${question}`, { hint });
}

const fullName = ({ namespace, name }: PodName) => `${namespace}/${name}`;
