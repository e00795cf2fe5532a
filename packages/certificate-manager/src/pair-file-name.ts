/**
 * The name of the file of a certificate and its key, such as `kubelet-client-2026-05-01-12-00-00.pem`, in local time.
 *
 * @param now milliseconds since 1970
 */
export function pairFileName(prefix: string, now: number): string {
  const date = new Date(now);
  const parts = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${prefix}-${[date.getFullYear(), ...parts.map((part) => String(part).padStart(2, '0'))].join('-')}.pem`;
}
