import { type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import { createChance } from './chance.ts'

/** What a bad network does to one call: nothing, loses it, or loses its answer. */
export type Loss = 'none' | 'call' | 'answer'
export type CrewAct =
  | 'accept-request'
  | 'release-request'
  | 'complete-request'
  | 'reopen-request'
  | 'requests-seen'

/** Who is meant is a number that is taken modulo those who are there, so a run may leave out any of its steps. */
export type Step = { afterMs: number } & (
  | { do: 'tap'; phone: number; id: string; serviceType: ServiceType; loss: Loss }
  | { do: 'retry'; phone: number }
  | { do: 'cancel' | 'still-waiting' | 'reload'; phone: number; which: number; loss: Loss }
  | { do: 'act'; tablet: number; act: CrewAct; which: number }
  | { do: 'connect' | 'cut' | 'freeze' | 'thaw'; screen: number }
  | { do: 'add-crew' | 'add-table' | 'remove-crew' | 'revoke'; which: number }
  | { do: 'stop' | 'kill'; afterTurns: number; taps: readonly { phone: number; id: string }[] }
)

/** Everything that a seed decides besides the steps. */
export type Options = {
  seed: number
  forMs: number
  phones: number
  tablets: number
  tables: number
  /** Of the calls of guests. */
  lossShare: number
  restarts: boolean
  /** Whether each table has its crew member. */
  assigned: boolean
  /** How long an acceptance lasts. */
  acceptMs: number
  /** The figures are computed in a thread, which takes longer than all else. */
  figures: boolean
}

export function deriveOptions(seed: number, forMs: number): Options {
  const chance = createChance(seed)
  return {
    seed,
    forMs,
    phones: chance.between(2, 6),
    tablets: chance.between(1, 3),
    tables: chance.between(1, 4),
    lossShare: chance.pick([
      [1, 0],
      [2, 0.15],
      [1, 0.4],
    ]),
    restarts: chance.isLucky(0.4),
    assigned: chance.isLucky(0.5),
    acceptMs: chance.isLucky(0.5) ? 15_000 : 180_000,
    figures: chance.isLucky(0.1),
  }
}

/** The steps of a seed, in their order, each with the time that passes before it. */
export function generateSteps({ seed, forMs, lossShare, restarts }: Options): Step[] {
  const chance = createChance(seed ^ 0x5eed)
  const steps: Step[] = []
  const who = () => chance.index(60)
  const loss = (): Loss => (chance.isLucky(lossShare) ? (chance.isLucky(0.5) ? 'call' : 'answer') : 'none')
  for (let at = 0; at < forMs;) {
    const afterMs = chance.isLucky(0.02) ? chance.between(20_000, 60_000) : chance.between(50, 1_200)
    at += afterMs
    steps.push({ afterMs, ...act() })
  }
  return steps

  function act() {
    const kind = chance.pick([
      [9, 'tap'],
      [4, 'retry'],
      [2, 'cancel'],
      [2, 'still-waiting'],
      [1, 'reload'],
      [12, 'act'],
      [4, 'connect'],
      [1.5, 'cut'],
      [1, 'freeze'],
      [1, 'thaw'],
      [0.3, 'add-crew'],
      [0.3, 'add-table'],
      [0.2, 'remove-crew'],
      [0.3, 'revoke'],
      [restarts ? 0.6 : 0, 'stop'],
      [restarts ? 1 : 0, 'kill'],
    ] as const)
    switch (kind) {
      case 'tap':
        return { do: kind, phone: who(), id: chance.uuid(), serviceType: service(), loss: loss() }
      case 'retry':
        return { do: kind, phone: who() }
      case 'cancel':
      case 'still-waiting':
      case 'reload':
        return { do: kind, phone: who(), which: who(), loss: loss() }
      case 'act':
        return { do: kind, tablet: who(), act: crewAct(), which: who() }
      case 'connect':
      case 'cut':
      case 'freeze':
      case 'thaw':
        return { do: kind, screen: who() }
      case 'add-crew':
      case 'add-table':
      case 'remove-crew':
      case 'revoke':
        return { do: kind, which: who() }
      case 'stop':
      case 'kill':
        return {
          do: kind,
          afterTurns: chance.index(12),
          taps: Array.from({ length: chance.index(4) }, () => ({ phone: who(), id: chance.uuid() })),
        }
      default:
        throw new Error(`No such step: ${String(kind)}`)
    }
  }

  function service(): ServiceType {
    return serviceTypes[chance.index(3)] ?? 'general'
  }

  function crewAct(): CrewAct {
    return chance.pick([
      [3, 'accept-request'],
      [1, 'release-request'],
      [3, 'complete-request'],
      [1, 'reopen-request'],
      [2, 'requests-seen'],
    ] as const)
  }
}
