/** How a command ended. The error stream of protocol version 4 and later carries it as a `v1.Status` in JSON. */
export type CommandEnd = { exitCode: number } | { error: string };

/** Encodes the status: success for exit code 0, reason `NonZeroExitCode` for others, `InternalError` for a command that did not run. */
export function formatCommandEnd(end: CommandEnd): string {
  const metadata = {};
  if ('error' in end) {
    const details = { causes: [{ message: end.error }] };
    return JSON.stringify({ metadata, status: 'Failure', message: end.error, reason: 'InternalError', details, code: 500 });
  }
  const { exitCode } = end;
  if (exitCode === 0) return JSON.stringify({ metadata, status: 'Success' });
  return JSON.stringify({
    metadata,
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: `${exitCode}` }] },
  });
}

/** Parses the status of {@link formatCommandEnd} or another server. An empty text is an error: the connection ended without a status. */
export function parseCommandEnd(text: string): CommandEnd {
  if (text === '') return { error: 'the connection ended without a status' };
  try {
    const status = JSON.parse(text) as {
      status?: string;
      message?: string;
      reason?: string;
      details?: { causes?: { reason?: string; message?: string }[] };
    };
    if (status.status === 'Success') return { exitCode: 0 };
    const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    if (status.reason === 'NonZeroExitCode' && code !== undefined && /^\d+$/.test(code)) return { exitCode: Number(code) };
    return { error: status.message ?? text };
  } catch {
    return { error: text };
  }
}
