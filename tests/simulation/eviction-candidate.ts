/** A pod that the agent could evict, as the stats reported it. */
export interface Candidate {
  uid: string;
  priority: number;
  /** Bytes above the request, by resource; negative below it. */
  excess: { memory: number; 'ephemeral-storage': number };
}
