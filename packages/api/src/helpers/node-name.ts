/**
 * The name of a node that is given none: the machine's host name in lower case, as a kubelet without `--hostname-override`; `localhost`
 * in a browser.
 */
export function defaultNodeName(): string {
  // Not imported: bundles for browsers contain this function.
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  return process?.getBuiltinModule?.('node:os').hostname().trim().toLowerCase() ?? 'localhost';
}
