import { randomUUID } from 'node:crypto'
import type { Screen, SystemUnderTest } from './systems/system-under-test.ts'

export const stormScreens = 500
const openRequestsPerRestaurant = 10

/** Crew screens of one system that all lose their connection at once. */
export async function openStorm(system: SystemUnderTest, restaurants: number) {
  const screens: Screen[] = []
  while (screens.length < stormScreens) {
    const batch = Array.from({ length: restaurants }, (_, restaurant) =>
      system.openScreen(restaurant, () => {}),
    )
    screens.push(...(await Promise.all(batch)))
  }
  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    for (let table = 1; table <= openRequestsPerRestaurant; table++) {
      const guest = await system.openGuest('http', restaurant, `${table}`)
      await guest.sendRequest({ id: randomUUID(), serviceType: 'check' })
    }
  }
  return {
    /** Milliseconds until every screen has its open requests again; all reconnect without delay. */
    async run(): Promise<number> {
      for (const screen of screens) screen.drop()
      const start = performance.now()
      const openCounts = await Promise.all(screens.map((screen) => screen.reconnect()))
      const durationMs = performance.now() - start
      if (openCounts.some((count) => count !== openRequestsPerRestaurant))
        throw new Error('A screen reconnected with the wrong list')
      return durationMs
    },
    close() {
      for (const screen of screens) screen.close()
    },
  }
}
