export type RuntimeName = 'containerd 1.6' | 'containerd 2' | 'oci';

/** A container runtime of a suite, with separate state, socket, network and images. */
export interface PrivateRuntime {
  readonly name: RuntimeName;
  readonly endpoint: string;
  /** Ends the daemon; containers keep running. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The folder of CDI specs; containerd 1.6 does not read it. */
  readonly cdiFolder: string;
  /** Makes an image of that much more than busybox; of nothing more it is another name of {@link testImage}. */
  addImage(name: string, ballastBytes?: number): Promise<void>;
  /** Kills every container and the daemon and removes what they left, whatever state they are in. */
  cleanup(): Promise<void>;
}

/** The image that every test uses. */
export const testImage = 'localhost/busybox:1';

export interface RuntimeOptions {
  /** Images and snapshots are on a separate file system of that size, in memory. */
  rootBytes?: number;
  /** Numbers of the test networks to choose from. Default: all. */
  networks?: readonly number[];
}

/** A runtime that this machine can run a suite on. */
export interface TestRuntime {
  readonly name: RuntimeName;
  start(options?: RuntimeOptions): Promise<PrivateRuntime>;
}
