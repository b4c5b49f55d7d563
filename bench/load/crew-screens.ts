import { restaurantName, type SystemUnderTest } from '../systems/system-under-test.ts'
import { peer } from '../systems/systems.ts'
import { PageScreen } from './page-screen.ts'
import { type CrewScreen, type PeerLists, PeerScreen } from './peer-screen.ts'
import { openSeats } from './seats.ts'

export type CrewScreens = {
  screens: readonly CrewScreen[]
  /** Opens further screens, and waits until they have their lists. */
  open(count: number): Promise<void>
  close(): void
}

const atOnce = 100

/** Up to `most` crew screens of the restaurants of a system with one server that was started without any. */
export async function prepareScreens(
  { name, servers, databaseUrl }: SystemUnderTest,
  { restaurants, most, peersGetLists }: { restaurants: number; most: number; peersGetLists?: PeerLists },
): Promise<CrewScreens> {
  const origin = servers[0]?.url ?? ''
  const isPeer = name === peer
  const seats = isPeer ? [] : await openSeats(origin, databaseUrl, { restaurants, screens: most })
  const peers: PeerScreen[] = []
  const pages: PageScreen[] = []

  function openScreen(): CrewScreen {
    if (isPeer) {
      const screen = new PeerScreen(origin, restaurantName(peers.length % restaurants), peersGetLists)
      peers.push(screen)
      return screen
    }
    const seat = seats[pages.length]
    if (!seat) throw new Error(`No more than ${most} screens are prepared`)
    const screen = new PageScreen(seat)
    pages.push(screen)
    return screen
  }

  return {
    screens: isPeer ? peers : pages,
    async open(count) {
      for (let left = count; left > 0; left -= atOnce) {
        const batch = Array.from({ length: Math.min(left, atOnce) }, openScreen)
        await Promise.all(batch.map((screen) => screen.whole()))
      }
    },
    close() {
      for (const screen of isPeer ? peers : pages) screen.close()
    },
  }
}
