/**
 * Serializes objects in a version. The response of a write has the same text as the watch event before it, so the
 * latest text is cached. Objects are replaced, never changed.
 */
export class ObjectTexts {
  #latest: unknown;
  #text = '';
  #framed: { type: string; object: unknown; frame: Uint8Array } = { type: '', object: undefined, frame: new Uint8Array() };

  of(object: unknown): string {
    if (object !== this.#latest) {
      this.#text = JSON.stringify(object);
      this.#latest = object;
    }
    return this.#text;
  }

  /** The frame of an event, which all watches of a resource with the same encoding send. */
  frame(type: string, object: unknown, encode: (type: string, object: unknown) => Uint8Array): Uint8Array {
    if (object !== this.#framed.object || type !== this.#framed.type) this.#framed = { type, object, frame: encode(type, object) };
    return this.#framed.frame;
  }
}
