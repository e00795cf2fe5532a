/** A running kubelet. */
export interface KubeletProcess {
  pid: number;
  /** `cgroupRoot`; `/` if it is not set. */
  cgroupRoot: string;
  /** `containerRuntimeEndpoint`, or its default. */
  runtimeEndpoint: string;
  /** `--root-dir`, or its default. */
  rootDir: string;
}
