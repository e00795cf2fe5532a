/**
 * The JSON of objects as they are shown. What a write is answered is what watches were told just before, and is not written out twice:
 * the latest text is kept. Objects are replaced, never changed.
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
