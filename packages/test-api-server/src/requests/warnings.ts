/** What a request leaves beside its response. */
export interface RequestNotes {
  /** Warnings for the client, which it also gets with an error. */
  warnings: string[];
  /** Annotations of the audit event. */
  annotations: Record<string, string>;
}

/** Above so many characters in total, warnings are cut; longer ones than that are dropped. */
const maxTotal = 4096;
const maxEach = 256;

/** The header `Warning` (RFC 7234, section 5.5) as API servers send it: Kubernetes documentation, "API Concepts: Warnings". */
export function warningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings.map((text) => text.replace(/\s+/g, ' ')))];
  const isLong = texts.reduce((sum, text) => sum + text.length, 0) > maxTotal;
  const header: string[] = [];
  let total = 0;
  for (const text of texts) {
    const cut = isLong && text.length > maxEach ? `${text.slice(0, maxEach)}...` : text;
    total += cut.length;
    if (total > maxTotal) break;
    header.push(`299 - "${cut.replace(/[\\"]/g, '\\$&')}"`);
  }
  return header.join(', ');
}
