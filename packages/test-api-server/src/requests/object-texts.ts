/** A list: its kind and its metadata, and the objects as its last field. */
export interface ObjectList {
  kind: string;
  items: readonly object[];
}

/**
 * Serializes objects in a version. The response of a write has the same text as the watch event before it, so the
 * latest text is cached, and so are the texts in lists, which most lists repeat. Objects are replaced, never changed.
 */
export class ObjectTexts {
  #latest: unknown;
  #text = '';
  readonly #listed = new WeakMap<object, string>();
  #framed: { type: string; object: unknown; frame: Uint8Array } = { type: '', object: undefined, frame: new Uint8Array() };

  of(object: object): string {
    if (object !== this.#latest) {
      this.#text = this.#listed.get(object) ?? JSON.stringify(object);
      this.#latest = object;
    }
    return this.#text;
  }

  /** The text of a list. */
  ofList({ items, ...fields }: ObjectList): string {
    const texts = items.map((item) => {
      const text = this.#listed.get(item) ?? JSON.stringify(item);
      this.#listed.set(item, text);
      return text;
    });
    return `${JSON.stringify(fields).slice(0, -1)},"items":[${texts.join(',')}]}`;
  }

  /** The frame of an event, which all watches of a resource with the same encoding send. */
  frame(type: string, object: unknown, encode: (type: string, object: unknown) => Uint8Array): Uint8Array {
    if (object !== this.#framed.object || type !== this.#framed.type) this.#framed = { type, object, frame: encode(type, object) };
    return this.#framed.frame;
  }
}
