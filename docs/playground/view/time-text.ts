/** `00:01:02.500`, or `1d 00:01:02` from a day on. */
export function timeText(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const days = Math.floor(ms / 86_400_000);
  const clock = `${two((ms / 3_600_000) % 24)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return days > 0 ? `${days}d ${clock}` : `${clock}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}
