/**
 * The name of a node that is given none: the machine's host name in lower case, as a kubelet without `--hostname-override`; `localhost`
 * in a browser, and in Deno without the permission to read it.
 */
export function defaultNodeName(): string {
  // Not imported: bundles for browsers contain this function.
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  try {
    return process?.getBuiltinModule?.('node:os').hostname().trim().toLowerCase() ?? 'localhost';
  } catch {
    return 'localhost';
  }
}
