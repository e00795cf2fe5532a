/** `00:10:03.500` */
export function elapsedText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
