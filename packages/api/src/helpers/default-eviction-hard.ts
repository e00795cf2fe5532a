/** The hard eviction thresholds of a node that configures none. Kubernetes documentation, "Node-pressure Eviction: hard eviction thresholds". */
export const defaultEvictionHard: Readonly<Record<string, string>> = /* @__PURE__ */ Object.freeze({
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
});
