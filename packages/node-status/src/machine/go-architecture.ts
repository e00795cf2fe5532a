const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le', mipsel: 'mipsle' };

/** Go's, and so Kubernetes', name of a processor architecture of Node.js: `amd64` for `x64`. */
export function goArchitecture(architecture: string): string {
  return names[architecture] ?? architecture;
}
