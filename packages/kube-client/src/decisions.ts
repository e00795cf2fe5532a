/**
 * The decisions of a Kubernetes API client: when a request is retried, what a reflector does next, which path and which proxy a request
 * takes.
 *
 * @packageDocumentation
 */
export { proxyFor } from './config/proxy.js';
export { nextStep, type ReflectorEnd, type ReflectorStep } from './informer/next-step.js';
export { type FailedAttempt, retryDelay } from './request/retry.js';
export { type ResourceTarget, resourcePath } from './resources/paths.js';
