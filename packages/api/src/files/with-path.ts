/** The error of a method of an open file, with the path, which Node leaves out of these; any other error as it is. */
export function withPath(error: unknown, path: string): unknown {
  const failure = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || failure.syscall === undefined || failure.path !== undefined) return error;
  failure.path = path;
  failure.message = `${failure.message} '${path}'`;
  return error;
}
