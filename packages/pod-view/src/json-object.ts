/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;
