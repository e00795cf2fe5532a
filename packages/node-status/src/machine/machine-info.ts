/** Facts and capacity of a machine. Amounts are bytes. */
export interface MachineInfo {
  cpus: number;
  memoryBytes: bigint;
  swapBytes: bigint;
  /** The supported huge page sizes with the number of allocated pages. */
  hugePages: readonly HugePages[];
  /** Size of the file system with the agent's root directory; absent while unknown or if local storage is not accounted. */
  ephemeralStorageBytes?: bigint;
  machineId: string;
  systemUuid: string;
  /** Changes at each boot. */
  bootId: string;
  kernelVersion: string;
  osImage: string;
  /** As Go names it: `linux`. */
  operatingSystem: string;
  /** As Go names it: `amd64`, `arm64`, ... */
  architecture: string;
}

export interface HugePages {
  pageBytes: bigint;
  pages: bigint;
}
