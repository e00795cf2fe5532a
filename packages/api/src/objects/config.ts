import type { IntOrString, ObjectMeta } from './meta.js';

/** A config map as plain API JSON (`v1`, `ConfigMap`). */
export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  data?: Record<string, string>;
  /** Base64. */
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** A secret as plain API JSON (`v1`, `Secret`). Its values never appear in logs, events or errors. */
export interface Secret {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

/** The part of a service (`v1`, `Service`) that service environment variables need. */
export interface Service {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: {
    clusterIP?: string;
    clusterIPs?: string[];
    type?: string;
    ports?: { name?: string; port: number; protocol?: string; targetPort?: IntOrString; nodePort?: number }[];
  };
}
