const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** A pod's UID after its name, as in `pod=web_shop(UID)` and `pod "web_shop(UID)"`. */
const uidInBrackets = new RegExp(`\\(${uuid.source}\\)`, 'gi');
const longHash = /\b([0-9a-f]{12})[0-9a-f]{20,}\b/gi;

/** The text without UIDs of pods, and with the first twelve digits of ids of containers and digests of images. */
export function withoutUids(text: string): string {
  return text.replaceAll(uidInBrackets, '').replaceAll(uuid, 'UID').replaceAll(longHash, '$1…');
}

/** `rpc error: code = NotFound desc = `, also repeated. */
const rpcPrefix = /\brpc error: code = \w+ desc = /g;
/** A step of a failed pull that names its image: `failed to resolve reference "docker.io/library/web:1": `. */
const stepOfPull = /\b(?:failed|unable) to [a-z ]+(?: image| reference)? "[^"]+": /gi;

/**
 * An error in short, on one line: without UIDs, the codes of gRPC, and the steps before the cause of a failed image pull. The text itself if
 * that is short already.
 */
export function briefError(text: string): string {
  const line = withoutUids(text).replaceAll(rpcPrefix, '').replaceAll(/\s+/g, ' ').trim();
  const cause = line.replaceAll(stepOfPull, '');
  return withoutRepetitions(cause === '' ? line : cause);
}

/** `a: b: a: c` as `a: b: c`: wrapped errors repeat the name of their object. */
function withoutRepetitions(text: string): string {
  const seen = new Set<string>();
  return text
    .split(': ')
    .filter((part) => part.length < 8 || (!seen.has(part) && seen.add(part)))
    .join(': ');
}
