/** What conmon reports of a create: the pid of the container's first process, or why there is none. */
export type CreateReport = { pid: number } | CreateProblem;

interface CreateProblem {
  problem: string;
  /** Whether the OCI runtime has given no reason: it was killed, or conmon was. */
  isUnexplained?: boolean;
}

/**
 * The report in the text of conmon's sync pipe, one JSON object a line: `data` with API version 1, `pid` before. Undefined until a line is
 * complete.
 */
export function parseCreateReport(text: string): CreateReport | undefined {
  const end = text.indexOf('\n');
  // A message of the OCI runtime may have line breaks: they are escaped in JSON, but not by each version of conmon.
  const complete = [end === -1 ? undefined : text.slice(0, end), text].map(parseObject).find((each) => each !== undefined);
  if (complete === undefined) return undefined;
  const { data, pid = data, message } = complete;
  if (typeof pid === 'number' && pid > 0) return { pid };
  if (typeof message === 'string' && message.trim() !== '') return { problem: message.trim() };
  return { problem: 'no process was created', isUnexplained: true };
}

function parseObject(text: string | undefined): { data?: unknown; pid?: unknown; message?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
