/*
 * A container may change its files while the agent works on them. Node has no openat(2); the same guarantee comes from
 * `/proc/self/fd/<N>/<name>`, which the kernel resolves from the open folder N, not from a path that may have changed.
 */

/**
 * O_PATH of Linux, not among Node's constants: opens the place of a file, not the file, so that pipes do not block, devices notice nothing and the
 * server of a mount is not asked.
 */
export const pathOnly = 0o10000000;

/** The path of an open file or folder, independent of later changes of the path that it was opened by. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`;
