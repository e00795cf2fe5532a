/**
 * The examples for newcomers, one for each subsystem that they start with: at most 30 lines of plain JavaScript. readme-examples.mjs runs
 * them on the sources, smoke-packages.mjs from installed tarballs.
 */
export const firstPrograms = [
  'controller-in-virtual-time',
  'custom-pod-source',
  'diff-pods',
  'evict-without-kubernetes',
  'mount-config-map',
  'plan-image-gc',
  'probe-servers',
];
