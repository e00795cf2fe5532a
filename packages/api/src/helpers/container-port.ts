import type { Container, ContainerPort } from '../objects/container.js';
import type { IntOrString } from '../objects/meta.js';
import { invalidArgument } from './arguments.js';

/** The number of a port that is given by number or by the name of one of the container's ports. Throws `InvalidArgument`. */
export function resolveContainerPort(port: IntOrString, container: Pick<Container, 'ports'>): number {
  const number = typeof port === 'number' ? port : (namedPort(port, container.ports ?? []) ?? parsePort(port));
  if (number === undefined) throw invalidArgument('port', 'a number or the name of a port of the container', port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw invalidArgument('port', 'from 1 to 65535', port);
  return number;
}

function namedPort(name: string, ports: readonly ContainerPort[]): number | undefined {
  return ports.find((port) => (port.name ?? '') === name)?.containerPort;
}

const parsePort = (text: string) => (/^[-+]?[0-9]+$/.test(text) ? Number(text) : undefined);
