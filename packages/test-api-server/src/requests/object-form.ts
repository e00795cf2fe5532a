import { notAcceptable } from '../status.js';
import { acceptedTypes } from './media-types.js';

/** Throws 406 for a client that accepts only tables or metadata, of objects that have neither. */
export function requireObjectForm(accept: string | undefined): void {
  const types = acceptedTypes(accept);
  if (types.length > 0 && types.every(({ parameters }) => parameters.as)) throw notAcceptable(['application/json']);
}
