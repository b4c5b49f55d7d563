/** In characters. A file of its own, as the guest page needs no more of the contract of notes to the manager. */
export const noteLimits = { text: 280, answer: 140, name: 40 } as const
