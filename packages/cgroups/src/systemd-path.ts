/** Whether a path has the form of the systemd driver. */
export function isSystemdPath(path: string): boolean {
  return path.endsWith('.slice');
}
