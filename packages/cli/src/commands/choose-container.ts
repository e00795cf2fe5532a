import { type Container, NodeAgentError, type Pod } from '@nodeagent/api';
import { nearestName, podContainers } from '@nodeagent/api/helpers';

/** The annotation that names a pod's default container, as in kubectl. */
const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

/** The chosen container, and a note for the user about the choice. */
export interface ChosenContainer {
  container: Container;
  note?: string;
}

/** The named container, else the one of the pod's annotation, else the first. Throws `CONTAINER_NOT_FOUND` with the nearest name. */
export function chooseContainer(pod: Pod, wanted: string | undefined): ChosenContainer {
  const all = [...podContainers(pod)].map(({ container }) => container);
  const named = (name: string | undefined) => all.find((container) => container.name === name);
  if (wanted !== undefined) {
    const container = named(wanted);
    if (container !== undefined) return { container };
    const near = nearestName(
      wanted,
      all.map(({ name }) => name),
    );
    const hint = `its containers are ${all.map(({ name }) => name).join(', ')}`;
    const question = near ? `; did you mean ${near}?` : '';
    throw new NodeAgentError('CONTAINER_NOT_FOUND', `pod ${pod.metadata?.name} has no container "${wanted}"${question}`, { hint });
  }
  const regular = pod.spec?.containers ?? [];
  const container = named(pod.metadata?.annotations?.[defaultContainerAnnotation]) ?? regular[0];
  if (container === undefined) throw new NodeAgentError('CONTAINER_NOT_FOUND', `pod ${pod.metadata?.name} has no container`);
  if (regular.length === 1) return { container };
  return { container, note: `container "${container.name}" of ${regular.map(({ name }) => name).join(', ')}` };
}
