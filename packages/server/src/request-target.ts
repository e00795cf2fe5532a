/** The target of a request line. */
export interface RequestTarget {
  /** Decoded. */
  path: string;
  query: URLSearchParams;
}

/** Parses the target of a request line; undefined if it is not a path or cannot be decoded. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  if (!target.startsWith('/')) return undefined;
  const at = target.indexOf('?');
  try {
    const path = decodeURIComponent(at < 0 ? target : target.slice(0, at));
    return { path, query: new URLSearchParams(at < 0 ? '' : target.slice(at + 1)) };
  } catch {
    return undefined;
  }
}
