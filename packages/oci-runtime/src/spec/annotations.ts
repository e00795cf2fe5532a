import type { ContainerConfig, PodSandboxConfig } from '@nodeagent/cri-api';

/** What decides the annotations of a container's specification. */
export interface AnnotationInput {
  config: ContainerConfig;
  sandbox: PodSandboxConfig;
  sandboxId: string;
  /** Names of annotations of the request that the runtime gets; one that ends with `*` is a prefix. */
  passed?: readonly string[];
}

/**
 * The annotations of a container's specification: whose container it is, under the names that containerd has for hooks and tools, and those of
 * the request that the runtime's owner allows. Others stay out, because runtimes obey some, such as `run.oci.*` of crun.
 */
export function specAnnotations({ config, sandbox, sandboxId, passed = [] }: AnnotationInput): Record<string, string> {
  const isPassed = (name: string) => passed.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
  const { name = '', namespace = '', uid = '' } = sandbox.metadata ?? {};
  return {
    ...Object.fromEntries(Object.entries(config.annotations ?? {}).filter(([key]) => isPassed(key))),
    'io.kubernetes.cri.container-name': config.metadata?.name ?? '',
    'io.kubernetes.cri.image-name': config.image?.userSpecifiedImage || config.image?.image || '',
    'io.kubernetes.cri.sandbox-id': sandboxId,
    'io.kubernetes.cri.sandbox-name': name,
    'io.kubernetes.cri.sandbox-namespace': namespace,
    'io.kubernetes.cri.sandbox-uid': uid,
  };
}
