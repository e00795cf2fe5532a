import { invalidArgument } from '../errors.js';
import type { OciNamespaceType } from './oci-spec.js';

/** A kernel parameter of a pod. */
export interface PodSysctl {
  /** Dots separate its elements; a slash stands for a dot in one: `net.ipv4.conf.eth0/100.rp_filter`. */
  name: string;
  value: string;
  /** The namespace that has it. */
  namespace: OciNamespaceType;
  /** Its file, for a process in that namespace. */
  path: string;
}

/** The namespace of a parameter by its first elements: namespaces(7), and the checks of runc and crun. */
const owners: readonly [RegExp, OciNamespaceType][] = [
  [/^net\./, 'network'],
  [/^fs\.mqueue\.|^kernel\.(msgmax|msgmnb|msgmni|msg_next_id|sem|sem_next_id|shmall|shmmax|shmmni|shm_next_id|shm_rmid_forced)$/, 'ipc'],
  [/^kernel\.(domainname|hostname)$/, 'uts'],
];

/**
 * The parameters of a pod, by the namespace that has them.
 *
 * @param own - the namespaces that the pod does not share with the node
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a parameter that would change the node
 */
export function podSysctls(sysctls: Readonly<Record<string, string>>, own: readonly OciNamespaceType[]): PodSysctl[] {
  return Object.entries(sysctls).map(([given, value]) => {
    // Either separator is allowed; the first one in the name is the separator.
    const name = /^[^./]*\//.test(given) ? swapped(given) : given;
    const path = `/proc/sys/${swapped(name)}`;
    const namespace = owners.find(([form]) => form.test(name))?.[1];
    if (namespace === undefined || /\/\.{0,2}(\/|$)/.test(path))
      throw invalidArgument('sysctls', `"${given}" is not in a namespace of a pod`);
    if (!own.includes(namespace))
      throw invalidArgument('sysctls', `"${given}" cannot be set: the pod uses the ${namespace} namespace of the node`);
    if (value.includes('\0')) throw invalidArgument('sysctls', `the value of "${given}" has a NUL byte`);
    return { name, value, namespace, path };
  });
}

const swapped = (name: string) => name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
