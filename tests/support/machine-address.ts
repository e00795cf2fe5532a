import { networkInterfaces } from 'node:os';

/** An address that other machines reach: a kubelet accepts no other one as its node's. */
export function machineAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);
  if (found === undefined) throw new Error('this machine has no IPv4 address for the node');
  return found.address;
}
