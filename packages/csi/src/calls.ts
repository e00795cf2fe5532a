import { type Clock, type Metrics, systemClock, withDeadline } from '@nodeagent/api';
import {
  type CsiNodeCapability,
  callPlugin,
  csiNodeService,
  grpcStatusOf,
  type RequestOf,
  type ResponseOf,
  statusError,
} from '@nodeagent/plugin-api';
import { asProgress } from './driver-errors.js';

export type CsiMethod = keyof typeof csiNodeService;
type Node = typeof csiNodeService;

/** Calls a method of the driver at the endpoint; rejects when the signal aborts. */
export type CallCsiNode = <M extends CsiMethod>(
  driver: { name: string; endpoint: string },
  method: M,
  request: RequestOf<Node[M]>,
  signal: AbortSignal,
) => Promise<ResponseOf<Node[M]>>;

/** The kubelet's timeout of all driver calls of one operation, in milliseconds. */
const operationTimeoutMs = 120_000;

/** Calls drivers by gRPC, each call on a separate connection, and measures the calls. */
export function grpcNodeCaller(metrics: Metrics, clock: Clock = systemClock): CallCsiNode {
  const seconds = metrics.histogram({
    name: 'csi_operations_seconds',
    help: 'Container Storage Interface operation duration with gRPC error code status total',
    labels: ['driver_name', 'method_name', 'grpc_status_code', 'migrated'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  return async (driver, method, request, signal) => {
    const { path } = csiNodeService[method];
    const started = clock.monotonic();
    const measure = (status: string) =>
      seconds.observe((clock.monotonic() - started) / 1000, {
        driver_name: driver.name,
        method_name: path,
        grpc_status_code: status,
        migrated: 'false',
      });
    try {
      // The table has the types of each method; a union of methods loses their relation.
      const response = await callPlugin(driver.endpoint, csiNodeService[method] as never, request as never, {
        timeoutMs: operationTimeoutMs,
        signal,
      });
      measure('OK');
      return response as never;
    } catch (error) {
      measure(grpcStatusOf(error) ?? grpcStatusOf(signal.reason) ?? 'Unknown');
      throw error;
    }
  };
}

/** Runs the calls of one operation with a signal that aborts at the operation's deadline. */
export function withOperationTimeout<T>(clock: Clock, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const error = () => statusError('DeadlineExceeded', 'context deadline exceeded');
  return withDeadline({ clock, timeoutMs: operationTimeoutMs, signal, error }, work);
}

/** A driver during one operation. Its errors are those that the volume manager expects. */
export interface DriverCalls {
  call<M extends CsiMethod>(method: M, request: RequestOf<Node[M]>): Promise<ResponseOf<Node[M]>>;
  /** Not cached: another version may have replaced the driver. */
  can(capability: CsiNodeCapability): Promise<boolean>;
}

export function createDriverCalls(driver: { name: string; endpoint: string }, callNode: CallCsiNode, signal: AbortSignal): DriverCalls {
  const call: DriverCalls['call'] = (method, request) => callNode(driver, method, request, signal);
  return {
    call,
    async can(capability) {
      const { capabilities } = await call('nodeGetCapabilities', {}).catch((error: unknown) => {
        throw asProgress(error);
      });
      return capabilities.some(({ rpc }) => rpc?.type === capability);
    },
  };
}
