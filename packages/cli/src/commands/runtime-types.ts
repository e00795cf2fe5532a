/** The runtimes in the process of the command: containers by an OCI runtime, or plain processes. */
export const runtimeTypes = ['oci', 'process'] as const;
export type RuntimeType = (typeof runtimeTypes)[number];

export const isRuntimeType = (name: string): name is RuntimeType => runtimeTypes.some((each) => each === name);
