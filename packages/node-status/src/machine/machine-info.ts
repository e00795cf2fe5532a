/** What a machine is and has. Amounts are bytes. */
export interface MachineInfo {
  cpus: number;
  memoryBytes: bigint;
  swapBytes: bigint;
  /** Each page size that the kernel supports, with the pages that are set aside. */
  hugePages: readonly HugePages[];
  /** Size of the file system with the agent's folder; absent while unknown or where local storage is not accounted. */
  ephemeralStorageBytes?: bigint;
  machineId: string;
  systemUuid: string;
  /** Another one after each boot. */
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
