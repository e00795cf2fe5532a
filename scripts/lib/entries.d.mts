export interface Entry {
  /** The name of its file, `index` or a subpath such as `decisions`. */
  name: string;
  /** Its source, from the package's folder. */
  source: string;
  /** What users write: `@nodeagent/stats/decisions`. */
  id: string;
}

export declare function entriesOf(manifest: { name: string; exports: Record<string, unknown> }): Entry[];
