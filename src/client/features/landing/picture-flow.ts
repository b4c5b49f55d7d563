/** What the picture shows of one request at table 12: as in the product itself, but nothing is sent. */
export type Picture = {
  state: 'asks' | 'sent' | 'seen' | 'answered' | 'done'
  /** How often the guest has asked for it. */
  asks: number
  /** Until somebody presses a button. */
  playsAlone: boolean
}

/** `proceed`: what comes next by itself. */
export type Action = 'call' | 'accept' | 'release' | 'complete' | 'proceed'

export const startPicture = (prefersReducedMotion: boolean): Picture => ({
  state: 'asks',
  asks: 1,
  playsAlone: !prefersReducedMotion,
})

const next = { asks: 'sent', sent: 'seen', seen: 'answered', answered: 'answered', done: 'done' } as const

export function followPicture(picture: Picture, action: Action): Picture {
  const { state, asks, playsAlone } = picture
  switch (action) {
    case 'call': {
      const isOpen = !playsAlone && state !== 'asks' && state !== 'done'
      return isOpen ? { ...picture, asks: asks + 1 } : { state: 'sent', asks: 1, playsAlone: false }
    }
    case 'accept':
      return { ...picture, state: 'answered', playsAlone: false }
    case 'release':
      return { ...picture, state: 'seen', playsAlone: false }
    case 'complete':
      return { ...picture, state: 'done', playsAlone: false }
    case 'proceed':
      return { ...picture, state: next[state] }
  }
}

/** How long until the picture proceeds by itself; null if it waits for somebody. */
export function pauseIn({ state, playsAlone }: Picture): number | null {
  if (state === 'sent') return 500
  if (!playsAlone) return null
  return state === 'asks' ? 1_500 : state === 'seen' ? 2_000 : null
}
