import { hostname } from 'node:os';

/** The name of a node that is given none: the machine's host name in lower case, as a kubelet without `--hostname-override`. */
export function defaultNodeName(): string {
  return hostname().trim().toLowerCase();
}
