import type { ObjectMeta } from '@nodeagent/api';

interface Tracked {
  metadata?: ObjectMeta;
}

/** The finalizer of pods that the job has not counted yet. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

export const isTracked = ({ metadata }: Tracked): boolean => metadata?.finalizers?.includes(trackingFinalizer) === true;

/** The object without the finalizer. */
export function untracked<T extends Tracked>(object: T): T {
  if (!isTracked(object)) return object;
  const { finalizers = [], ...metadata } = object.metadata ?? {};
  const rest = finalizers.filter((each) => each !== trackingFinalizer);
  return { ...object, metadata: { ...metadata, ...(rest.length > 0 && { finalizers: rest }) } };
}
