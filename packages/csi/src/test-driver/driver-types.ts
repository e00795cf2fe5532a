import type { csiNodeService, GrpcStatus } from '@nodeagent/plugin-api';

/** Makes volumes appear on paths. */
export interface CsiTestDisk {
  /** Idempotent. */
  mount(volume: { volumeId: string; path: string; isBlock: boolean }): void;
  /** Idempotent; keeps the folder or file of the mount. */
  unmount(path: string): void;
}

/** A call that the driver received. */
export interface CsiCall {
  method: keyof typeof csiNodeService;
  request: Readonly<Record<string, unknown>>;
}

/** A fault of a call; injected once by default, or `times` times. */
export interface CsiFault {
  /** Returns this status before the call has an effect or, with `afterwards`, after it. */
  status?: GrpcStatus;
  message?: string;
  afterwards?: boolean;
  /** Does not respond until the caller's deadline. */
  hang?: boolean;
  /** The driver crashes during the call. */
  crash?: boolean;
  times?: number;
}
