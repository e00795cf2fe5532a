/** Annotations by which the scheduler, the binder and provisioners agree: Kubernetes documentation, "Well-Known Labels, Annotations and Taints". */
export const bindCompleted = 'pv.kubernetes.io/bind-completed';
export const boundByController = 'pv.kubernetes.io/bound-by-controller';
export const provisionedBy = 'pv.kubernetes.io/provisioned-by';
/** The node of the pod for which a claim is provisioned, which the scheduler sets. */
export const selectedNode = 'volume.kubernetes.io/selected-node';
export const storageProvisioner = 'volume.kubernetes.io/storage-provisioner';

/** The provisioner of classes whose volumes are made by hand. */
export const noProvisioner = 'kubernetes.io/no-provisioner';
