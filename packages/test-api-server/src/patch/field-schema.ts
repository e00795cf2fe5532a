/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The patch schema of a field: which lists are merged and by which keys, and which values have one owner. Scalars and fields
 * without rules are absent. Kubernetes API reference, "Patch strategy", "Merge Key", and Server-Side Apply,
 * "Merge strategy".
 */
export interface FieldSchema {
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, FieldSchema>>;
  /** The values of a map that are not in `fields`. */
  readonly values?: FieldSchema;
  /** The elements of a list. */
  readonly items?: FieldSchema;
  /** Server-side apply: the object has one owner. Lists have one unless they are a `set` or have `keys`. */
  readonly atomic?: boolean;
  /** Server-side apply: a list of scalars, each with separate owners. */
  readonly set?: boolean;
  /** Server-side apply: a list of objects with these key fields, each with separate owners. */
  readonly keys?: readonly string[];
  /** Default of a key that an element omits. */
  readonly keyDefaults?: JsonObject;
  /** Strategic merge: the merge key of the list, `''` for a list of scalars. Absent: the list is replaced. */
  readonly mergeKey?: string;
  /** Strategic merge: the object is replaced. */
  readonly replaced?: boolean;
  /** Strategic merge: a client may name the object's remaining fields in `$retainKeys`, because only one of them may be set. */
  readonly retainKeys?: boolean;
}

/** The schema of an object's field; undefined without rules. */
export function fieldSchema(schema: FieldSchema | undefined, name: string): FieldSchema | undefined {
  const fields = schema?.fields;
  return fields && Object.hasOwn(fields, name) ? fields[name] : schema?.values;
}
