import { type Clock, type EventRecorder, errorMessage, invalidOption, NodeAgentError, type ObjectReference } from '@nodeagent/api';
import { type CgroupName, parseResourceList } from '@nodeagent/api/helpers';
import type { CgroupManager, CgroupResources } from '@nodeagent/cgroups';
import { containerManagerErrorCodes } from './errors.js';
import { nodeCgroupResources, podsCgroupLimits } from './node-resources.js';
import type { ContainerManagerOptions } from './options.js';

/** Enforces node allocatable: limits the pods together, and the daemons of the system and of Kubernetes. Reports it with events. */
export interface NodeAllocatable {
  /** The values of the cgroup of all pods: what is allocatable, or if that is not enforced, what the machine has. */
  podsResources(): CgroupResources;
  /** Limits the pods together, if that is enforced. Retries until it succeeds or the signal aborts. */
  enforcePods(signal: AbortSignal): Promise<void>;
  /** Limits the reserved cgroups that are enforced. Rejects with `NodeAllocatableEnforcementFailed`. */
  enforceReserved(): Promise<void>;
}

export interface NodeAllocatableOptions
  extends Pick<
    ContainerManagerOptions,
    'nodeName' | 'capacity' | 'systemReserved' | 'kubeReserved' | 'systemReservedCgroup' | 'kubeReservedCgroup'
  > {
  cgroups: CgroupManager;
  podsRoot: CgroupName;
  enforceNodeAllocatable: NonNullable<ContainerManagerOptions['enforceNodeAllocatable']>;
  hugePageSizes: readonly string[];
  clock: Pick<Clock, 'sleep'>;
  recorder: EventRecorder;
}

const retryMs = 60_000;

export function createNodeAllocatable(options: NodeAllocatableOptions): NodeAllocatable {
  const { cgroups, podsRoot, enforceNodeAllocatable: enforced, hugePageSizes, clock, recorder } = options;
  const node: ObjectReference = { kind: 'Node', name: options.nodeName, uid: options.nodeName };
  const succeeded = (message: string) => recorder.event(node, 'Normal', 'NodeAllocatableEnforced', message);
  const failed = (message: string) => recorder.event(node, 'Warning', 'FailedNodeAllocatableEnforcement', message);

  function podsResources(): CgroupResources {
    const amounts = enforced.includes('pods') ? podsCgroupLimits(options) : parseResourceList(options.capacity);
    return nodeCgroupResources(amounts, { hugePageSizes });
  }

  async function enforce(key: 'system' | 'kube'): Promise<void> {
    const cgroup = options[`${key}ReservedCgroup`];
    const amounts = parseResourceList(options[`${key}Reserved`]);
    const onlyCompressible = enforced.includes(`${key}-reserved-compressible`);
    if (!onlyCompressible && !enforced.includes(`${key}-reserved`)) return;
    try {
      if (cgroup === undefined) throw invalidOption(`${key}ReservedCgroup`, `a cgroup if ${key}-reserved is enforced`, cgroup);
      if (!(await cgroups.exists(cgroup))) throw new Error(`${JSON.stringify(cgroups.path(cgroup))} cgroup does not exist`);
      await cgroups.update(cgroup, nodeCgroupResources(amounts, { hugePageSizes, onlyCompressible }));
    } catch (cause) {
      const path = cgroup === undefined ? '' : cgroups.path(cgroup);
      const title = key === 'system' ? 'System' : 'Kube';
      const message = `Failed to enforce ${title} Reserved Cgroup Limits on ${JSON.stringify(path)}: ${errorMessage(cause)}`;
      failed(message);
      throw new NodeAgentError(containerManagerErrorCodes.enforcementFailed, message, {
        cause,
        hint: `Create the cgroup ${path} before the agent starts, or remove ${key}-reserved from enforceNodeAllocatable.`,
        details: { cgroup: path },
      });
    }
    succeeded(`Updated limits on ${key} reserved cgroup ${cgroups.path(cgroup)}`);
  }

  return {
    podsResources,
    async enforcePods(signal) {
      if (!enforced.includes('pods')) return;
      while (!signal.aborted) {
        try {
          await cgroups.update(podsRoot, podsResources());
          succeeded('Updated Node Allocatable limit across pods');
          return;
        } catch (error) {
          failed(`Failed to update Node Allocatable Limits ${JSON.stringify(cgroups.path(podsRoot))}: ${errorMessage(error)}`);
        }
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    },
    async enforceReserved() {
      await enforce('system');
      await enforce('kube');
    },
  };
}
