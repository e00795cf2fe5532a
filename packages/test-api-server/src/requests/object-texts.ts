/**
 * Serializes objects in a version. The response of a write has the same text as the watch event before it, so the
 * latest text is cached. Objects are replaced, never changed.
 */
export class ObjectTexts {
  #latest: unknown;
  #text = '';

  of(object: unknown): string {
    if (object !== this.#latest) {
      this.#text = JSON.stringify(object);
      this.#latest = object;
    }
    return this.#text;
  }
}
