import type { ImageService, RuntimeService } from '@nodeagent/cri-api';

/** Both CRI services as one. */
export type CriMethods = RuntimeService & ImageService;

/** A CRI method by its TypeScript name, such as `startContainer`. */
export type CriMethod = keyof CriMethods;

/** The request of a method. */
export type CriRequest<M extends CriMethod> = Parameters<CriMethods[M]>[0];

/** The response of a method; for a stream, one item. */
export type CriResponse<M extends CriMethod> =
  ReturnType<CriMethods[M]> extends Promise<infer R> ? R : ReturnType<CriMethods[M]> extends AsyncIterable<infer I> ? I : never;
