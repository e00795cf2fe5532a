import type { Container, ContainerState, ContainerStatus, Pod } from '@nodeagent/api';
import { isSidecar } from '@nodeagent/api/helpers';

/** A container of the spec with its status. */
export interface ContainerFacts {
  name: string;
  kind: 'init' | 'sidecar' | 'container';
  container: Container;
  /** Absent until the node has reported the container. */
  status: ContainerStatus | undefined;
  /** Empty if the container waits without a reason. */
  state: ContainerState;
}

/** The pod's init containers, sidecars and containers, in the order of their start. Without ephemeral containers, which never restart. */
export function containerFacts({ spec, status }: Pod): ContainerFacts[] {
  const facts = (kind: ContainerFacts['kind'], container: Container, statuses: readonly ContainerStatus[] | undefined | null) => {
    const found = statuses?.find(({ name }) => name === container.name);
    return { name: container.name ?? '', kind, container, status: found, state: found?.state ?? {} };
  };
  return [
    ...(spec?.initContainers ?? []).map((each) => facts(isSidecar(each) ? 'sidecar' : 'init', each, status?.initContainerStatuses)),
    ...(spec?.containers ?? []).map((each) => facts('container', each, status?.containerStatuses)),
  ];
}
