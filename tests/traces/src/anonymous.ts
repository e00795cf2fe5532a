/** A call that may have created a sandbox or a container. */
interface MakingCall {
  method: string;
  request: unknown;
  response?: unknown;
}

/** The ids of the runtime and the API server, in order, and their names in a reference. */
export function idsOf(calls: readonly MakingCall[]): [id: string, name: string][] {
  const names = new Map<string, string>();
  let [sandboxes, containers] = [0, 0];
  for (const { method, request, response } of calls) {
    const { podSandboxId, containerId } = (response ?? {}) as { podSandboxId?: string; containerId?: string };
    if (podSandboxId !== undefined) names.set(podSandboxId, `<sandbox${++sandboxes}>`);
    if (containerId !== undefined) names.set(containerId, `<container${++containers}>`);
    const uid = method === 'runPodSandbox' && (request as { config?: { metadata?: { uid?: string } } }).config?.metadata?.uid;
    if (uid) names.set(uid, '<uid>');
  }
  return [...names];
}

/** Observations or a trace with placeholders for ids, addresses, generated names, and `others`, which differ between runs; replaced in this order. */
export function anonymous<T extends object>(seen: T, ...replaced: (readonly (readonly [text: string, by: string])[])[]): T {
  let text = JSON.stringify(seen);
  for (const [from, by] of replaced.flat()) text = text.replaceAll(from, by);
  text = text
    .replace(/sha256:[0-9a-f]{64}/g, '<image id>')
    .replace(/\b10\.(?!0\.)\d+\.\d+\.\d+/g, '<ip>')
    .replace(/(containers\/[a-z0-9-]+\/)[0-9a-f]{8}\b/g, '$1<rand>')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<rand>');
  return JSON.parse(text) as T;
}
