export type Presence = {
  listening: boolean
  screens: number
  /** Crew members with a listening screen of their own, or a device that receives pushes. */
  listeners: ReadonlySet<string>
}
