/** How often something happened since the start of the server. */
export interface Tally {
  count: number
}
