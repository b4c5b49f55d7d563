import { type Chance, createChance } from '../chance.ts'
import type { Promises } from '../checkers/promises.ts'
import { digestOf, type Result } from '../run.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { Evening, tickMs } from './evening.ts'
import { ranges, type Settings } from './settings.ts'

/** How often each of these happens in an hour. */
const perHour = { change: 12, trouble: 90, restart: 10, lostPushes: 6 }

const troubleMs = [5_000, 90_000] as const

/** An evening without a page, in which everything that a hand can break is broken by the seed's chance. */
export async function playEvening(
  time: VirtualTime,
  place: { folder: string; template: string },
  seed: number,
  forMs: number,
  checked: Promises,
): Promise<Result> {
  const chance = createChance(seed ^ 0xb4ea)
  const evening = await Evening.open(time, place, seed, drawSettings(chance), checked)
  try {
    const until = evening.now + forMs
    const endings: { at: number; end: () => void | Promise<void> }[] = []
    while (evening.now < until && !evening.isOver && evening.tally.isClean) {
      await evening.tick()
      await breakByChance(evening, chance, endings)
      for (const ending of endings.filter(({ at }) => at <= evening.now)) {
        endings.splice(endings.indexOf(ending), 1)
        await ending.end()
      }
    }
    for (const { end } of endings) await end()
    await evening.comeBack()
    return summarize(evening)
  } finally {
    await evening.close()
  }
}

function drawSettings(chance: Chance): Settings {
  return {
    rush: chance.between(30, ranges.rush.most),
    staff: chance.isLucky(0.1) ? 0 : chance.between(1, ranges.staff.most),
    losses: chance.isLucky(0.3) ? 0 : chance.between(1, ranges.losses.most),
  }
}

async function breakByChance(
  evening: Evening,
  chance: Chance,
  endings: { at: number; end: () => void | Promise<void> }[],
): Promise<void> {
  const happens = (times: number) => chance.isLucky((times * tickMs) / 3_600_000)
  const later = (end: () => void | Promise<void>) =>
    endings.push({ at: evening.now + chance.between(...troubleMs), end })
  if (happens(perHour.change)) await evening.set(drawSettings(chance))
  if (happens(perHour.trouble)) {
    const names = [...evening.links.keys()]
    const name = names[chance.index(names.length)] ?? ''
    if (chance.isLucky(0.5)) evening.take(name)
    else evening.freeze(name)
    later(() => evening.giveBack(name))
  }
  if (happens(perHour.lostPushes) && !evening.world.push.isLost) {
    evening.losePushes()
    later(() => evening.regainPushes())
  }
  if (happens(perHour.restart)) await evening.restart(chance.isLucky(0.5) ? 'kill' : 'stop')
}

function summarize({ evidence, log, tally, world, restaurant: { phones } }: Evening): Result {
  const events = evidence.flatMap((each) => each.events)
  const breach = log.entries.find(({ tone }) => tone === 'breach')
  return {
    failure: tally.isClean
      ? null
      : {
          step: log.entries.length,
          promise: 'an evening',
          problem: breach?.text ?? '',
          story: [...(breach?.story ?? []), ...log.entries.map(({ text }) => text).slice(-40)],
        },
    digest: digestOf(events),
    events: events.length,
    taps: phones.reduce((sum, { tapped }) => sum + tapped.length, 0),
    pushes: world.push.devices.reduce((sum, { received }) => sum + received.length, 0),
  }
}
