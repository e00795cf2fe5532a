import type { LogEntry } from '@nodeagent/memory-runtime';

/** What a request for a container's log asks for: the fields of PodLogOptions. */
export interface LogSelection {
  /** Number of lines from the end. Infinity: all. */
  tailLines: number;
  /** Earliest time of a line, in milliseconds since 1970. */
  sinceMs: number;
  /** Maximum size of the response. Infinity: none. */
  limitBytes: number;
  /** Whether each line begins with its time. */
  timestamps: boolean;
}

/** Reads the query of a kubelet's `containerLogs`. `now` is in milliseconds since 1970. */
export function readLogSelection(query: URLSearchParams, now: number): LogSelection {
  const number = (name: string) => Number(query.get(name) ?? Number.POSITIVE_INFINITY);
  const time = query.get('sinceTime');
  return {
    tailLines: number('tailLines'),
    sinceMs: time === null ? now - number('sinceSeconds') * 1_000 : Date.parse(time),
    limitBytes: number('limitBytes'),
    timestamps: query.get('timestamps') === 'true',
  };
}

/** The selected ones of these lines. A line is cut where the limit ends. */
export function logText(lines: readonly LogEntry[], { sinceMs, limitBytes, timestamps }: LogSelection): string {
  const text = lines
    .filter(({ at }) => at >= sinceMs)
    .map((line) => `${timestamps ? `${new Date(line.at).toISOString()} ` : ''}${line.text}\n`)
    .join('');
  const bytes = new TextEncoder().encode(text);
  return bytes.length > limitBytes ? new TextDecoder().decode(bytes.slice(0, limitBytes)) : text;
}
