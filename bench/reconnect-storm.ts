import { randomUUID } from 'node:crypto'
import { restaurants } from './load-generator.ts'
import type { Screen, SystemUnderTest } from './system-under-test.ts'

export const stormScreens = 500
const openRequestsEach = 10

/** Crew screens of one system that all lose their line at once. */
export async function openStorm(system: SystemUnderTest) {
  const screens: Screen[] = []
  while (screens.length < stormScreens) {
    const batch = Array.from({ length: restaurants }, (_, restaurant) =>
      system.openScreen(restaurant, () => {}),
    )
    screens.push(...(await Promise.all(batch)))
  }
  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    for (let table = 1; table <= openRequestsEach; table++) {
      const guest = await system.openGuest('http', restaurant, `${table}`)
      await guest.ask({ id: randomUUID(), serviceType: 'check' })
    }
  }
  return {
    /** Milliseconds until the last screen has its open requests again; nobody waits before coming back. */
    async strike(): Promise<number> {
      for (const screen of screens) screen.drop()
      const start = performance.now()
      const open = await Promise.all(screens.map((screen) => screen.comeBack()))
      const took = performance.now() - start
      if (open.some((count) => count !== openRequestsEach))
        throw new Error('a screen came back with a wrong list')
      return took
    },
    close() {
      for (const screen of screens) screen.close()
    },
  }
}
