import type { DoctorFacts } from './doctor-facts.js';

/** `error`: no pod runs in a container. `warning`: something that pods may use does not work. */
export type CheckStatus = 'ok' | 'warning' | 'error';

export interface Finding {
  status: CheckStatus;
  text: string;
  /** What to do. */
  hint?: string;
}

/** A check of the machine. A pure function of the facts. */
export interface Check {
  name: string;
  run(facts: DoctorFacts): Finding;
}

export const ok = (text: string): Finding => ({ status: 'ok', text });
export const warning = (text: string, hint?: string): Finding => ({ status: 'warning', text, ...(hint !== undefined && { hint }) });
export const failed = (text: string, hint?: string): Finding => ({ status: 'error', text, ...(hint !== undefined && { hint }) });
