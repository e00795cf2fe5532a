import { type Mutant, mutantsOf } from '../mutant.js';

/** Mutants of the packages for resources: cgroups, CPUs, memory and devices. */
export const resourceMutants: readonly Mutant[] = [
  ...mutantsOf(
    'cgroups',
    ['hybrid-hierarchy-is-overlooked', 'hierarchy.ts', "if (folder === 'unified')", "if (folder === 'other')"],
    ['zero-pids-are-a-limit', 'cgroup-values.ts', 'if (pids !== undefined && pids !== 0)', 'if (pids !== undefined)'],
  ),
  ...mutantsOf(
    'container-manager',
    ['best-effort-counts-as-burstable', 'qos-resources.ts', "if (qos === 'BestEffort') continue;", ''],
    ['limit-below-usage', 'qos-cgroups.ts', 'usage <= (resources.memory ?? 0)', 'usage > (resources.memory ?? 0)'],
  ),
  ...mutantsOf(
    'cpu-manager',
    ['burstable-gets-exclusive-cpus', 'cpu-requests.ts', "podQosClass(pod) !== 'Guaranteed' || ", ''],
    [
      'lost-reservation-is-accepted',
      'static-policy.ts',
      'if (!options.strictCPUReservation && !reservedInDefault.equals(reserved)) {',
      'if (options.strictCPUReservation && !reservedInDefault.equals(reserved)) {',
    ],
    ['waiting-containers-are-updated', 'reconcile.ts', 'if (waiting || !running) return', 'if (podUID === containerId) return'],
  ),
  ...mutantsOf(
    'device-manager',
    [
      'socket-outside-the-folder',
      'plugin-folder.ts',
      "inFolder === '..' || inFolder.startsWith(",
      "inFolder === '..' && inFolder.startsWith(",
    ],
    ['replaced-plugin-stays', 'plugins.ts', 'endpoints.get(resource) !== endpoint || ', ''],
    ['devices-of-ended-pods-stay', 'device-allocator.ts', 'if (requests.size > 0) this.#releaseInactive(pod);', ''],
  ),
  ...mutantsOf(
    'dra-manager',
    ['damaged-checkpoint-is-loaded', 'checkpoint.ts', 'if (file.Checksum !== crc32(Buffer.from(file.Data)))', 'if (file.Checksum === 0)'],
    [
      'unreserved-claim-is-used',
      'claim-checks.ts',
      'some((consumer) => consumer.uid === uid)',
      'some((consumer) => consumer.uid !== undefined)',
    ],
  ),
  ...mutantsOf('machine-topology', ['unknown-socket', 'read-machine-topology.ts', 'Math.max(socket, 0)', 'socket']),
  ...mutantsOf(
    'memory-manager',
    [
      'widest-nodes-are-chosen',
      'allocate-memory.ts',
      'isNarrowerNodeSet(hint.numaNodes, best.numaNodes)',
      'isNarrowerNodeSet(best.numaNodes, hint.numaNodes)',
    ],
    ['sidecars-memory-is-reused', 'reusable-memory.ts', ' && !isSidecar(each)', ''],
  ),
  ...mutantsOf('topology-manager', [
    'explanations-are-unbounded',
    'topology-manager.ts',
    'if (this.#explained.size > maxExplainedPods && oldest !== undefined) this.#explained.delete(oldest);',
    '',
  ]),
];
