/** OpenSSL names of the TLS 1.2 cipher suites that a KubeletConfiguration may name (`tlsCipherSuites`). */
const openSslNames: ReadonlyMap<string, string> = new Map(
  ['ECDSA', 'RSA'].flatMap((key): [string, string][] => [
    [`TLS_ECDHE_${key}_WITH_AES_128_GCM_SHA256`, `ECDHE-${key}-AES128-GCM-SHA256`],
    [`TLS_ECDHE_${key}_WITH_AES_256_GCM_SHA384`, `ECDHE-${key}-AES256-GCM-SHA384`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305_SHA256`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA`, `ECDHE-${key}-AES128-SHA`],
    [`TLS_ECDHE_${key}_WITH_AES_256_CBC_SHA`, `ECDHE-${key}-AES256-SHA`],
  ]),
);
/** The TLS 1.3 suites, which are always enabled. */
const fixed = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The list in OpenSSL's syntax; undefined if it is empty or names a weak suite. */
export function openSslCiphers(suites: readonly string[]): string | undefined {
  const names = suites.filter((suite) => !fixed.includes(suite)).map((suite) => openSslNames.get(suite));
  if (names.includes(undefined) || suites.length === 0) return undefined;
  return [...fixed, ...new Set(names)].join(':');
}
