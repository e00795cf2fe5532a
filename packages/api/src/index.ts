/**
 * The vocabulary of a node agent: Kubernetes object types, the contracts between its parts with their errors, clock, logger and metrics.
 * Needs no Node.
 *
 * @packageDocumentation
 */

export { createAbortController } from './clock/abort-controller.js';
export { abortable } from './clock/abortable.js';
export { abandonAtDeadline, type Deadline, withDeadline } from './clock/deadline.js';
export { onAbort } from './clock/on-abort.js';
export { createRunLoop, type RunLoop } from './clock/run-loop.js';
export { settlesWithin } from './clock/settles-within.js';
export { sleepWith } from './clock/sleep.js';
export { systemClock, systemRandom } from './clock/system-clock.js';
export { withController } from './clock/with-controller.js';
export { admissionError, admissionReason } from './contracts/admission-error.js';
export type * from './contracts/allocation.js';
export { apiStatusError, apiStatusOf, isApiReason, objectKey } from './contracts/api-status.js';
export { integerFrom, invalidArgument } from './contracts/arguments.js';
export { type Channel, createChannel } from './contracts/channel.js';
export type * from './contracts/checkpoint-file.js';
export type * from './contracts/clock.js';
export { errorCode, errorHint, errorMessage, NodeAgentError, type NodeAgentErrorOptions } from './contracts/errors.js';
export { type EventRecorder, type EventType, noEvents } from './contracts/events.js';
export type { EvictionReserve } from './contracts/eviction.js';
export type * from './contracts/image-manager.js';
export type * from './contracts/kube-api.js';
export type * from './contracts/lifecycle.js';
export { type Logger, type LogMethod, silentLogger } from './contracts/logger.js';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricDefinition,
  type MetricLabels,
  type Metrics,
  noMetrics,
} from './contracts/metrics.js';
export type * from './contracts/mounter.js';
export { checkOptionNames, type OptionNames } from './contracts/option-names.js';
export { invalidOption, invalidOptionText, requirePositive } from './contracts/options.js';
export type * from './contracts/pleg.js';
export type * from './contracts/pod-admission.js';
export type * from './contracts/pod-source.js';
export type * from './contracts/pod-workers.js';
export type * from './contracts/probe-manager.js';
export type * from './contracts/runtime.js';
export type * from './contracts/runtime-capabilities.js';
export type * from './contracts/stats-provider.js';
export type * from './contracts/status-manager.js';
export type * from './contracts/status-sink.js';
export type * from './contracts/sub-path.js';
export type * from './contracts/timeline.js';
export type * from './contracts/topology.js';
export {
  infeasibleExpansion,
  inUseExpansion,
  isOperationFinished,
  isUncertainProgress,
  transientOperationFailure,
  uncertainProgress,
} from './contracts/volume-errors.js';
export type * from './contracts/volume-manager.js';
export type * from './contracts/volume-node.js';
export type * from './contracts/volume-plugin.js';
export type * from './contracts/volume-stats.js';
export { apiErrorCodes } from './errors.js';
export type * from './objects/access.js';
export type * from './objects/cluster.js';
export type * from './objects/config.js';
export type * from './objects/container.js';
export type * from './objects/downward-api.js';
export type * from './objects/event.js';
export type * from './objects/lease.js';
export type * from './objects/meta.js';
export type * from './objects/node.js';
export type * from './objects/persistent-volume-claim.js';
export type * from './objects/pod.js';
export type * from './objects/pod-status.js';
export type * from './objects/resource-claim.js';
export type * from './objects/stats.js';
export type * from './objects/storage.js';
export type * from './objects/volume.js';
export type * from './objects/volume-projection.js';
export type * from './objects/volume-reference.js';
export type * from './objects/volume-sources.js';
export { volumeSources } from './objects/volume-sources.js';
