import type { Pod } from '@nodeagent/api';
import type { NamespaceOption, UserNamespace } from '@nodeagent/cri-api';

/** Which namespaces a pod shares with the node and its containers with each other: Kubernetes documentation, "Share Process Namespace". */
export function namespaceOptions(pod: Pod, userNamespace: UserNamespace, targetContainerId?: string): NamespaceOption {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod.spec ?? {};
  const processes = hostPID ? 'NODE' : shareProcessNamespace ? 'POD' : 'CONTAINER';
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    pid: targetContainerId === undefined ? processes : 'TARGET',
    ipc: hostIPC ? 'NODE' : 'POD',
    ...(targetContainerId !== undefined && { targetId: targetContainerId }),
    usernsOptions: userNamespace,
  };
}
